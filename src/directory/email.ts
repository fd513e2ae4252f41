/**
 * An email address: before the @ whatever needs no quotes, such as pat.o'neil, and domains with letters
 * of any language. Valibot's own pattern accepts neither.
 */
export const emailPattern = /^[^\s\p{C}@<>()[\]:;,"\\]{1,64}@[\p{L}\p{N}-]+(\.[\p{L}\p{N}-]+)+$/u;
