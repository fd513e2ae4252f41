/**
 * A mail address. What mail programs write without quotes before the @, such as pat.o'neil, and
 * domains with letters of any language; valibot's own pattern knows neither.
 */
export const emailPattern = /^[^\s\p{C}@<>()"\\]{1,64}@[\p{L}\p{N}-]+(\.[\p{L}\p{N}-]+)+$/u;
