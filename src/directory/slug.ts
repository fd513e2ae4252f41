/** Whether a text can be a slug at all: lower-case letters, digits and single hyphens. */
export function isSlug(text: string): boolean {
  return text.length <= 120 && /^[a-z0-9]+(-[a-z0-9]+)*$/.test(text);
}
