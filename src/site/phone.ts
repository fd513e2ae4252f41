/** The link that dials a number. An extension, as in `0161 496 0999 x12`, is not dialled (RFC 3966, section 3). */
export function dialled(phone: string): string {
  const [number, extension] = international(phone)
    .split("x")
    .map((part) => part.replace(/[^\d+]/g, ""));
  return `tel:${number}${extension ? `;ext=${extension}` : ""}`;
}

/**
 * A British number with its country code: `+44 161 496 0999`. So is `+44 (0)161 496 0999`, which only SQL can bring
 * in: its zero is dialled only without the code.
 */
export const international = (phone: string) =>
  phone.replace(/^((?:\+|00)[\d ]+)\(0\) ?/, "$1").replace(/^0(?=[1-9])/, "+44 ");
