import { expect, test } from "bun:test";
import { emailPattern } from "../../src/directory/email.ts";

test.each([
  "ann@shop.example",
  "pat.o'neil@nhs.example",
  "a&b@shop.example",
  "ann+list@my--shop.example",
  "ann@xn--bcher-kva.example",
  "ann@bücher.example",
  "ann@mail.shop.example",
  `${"a".repeat(64)}@shop.example`,
])("%s is a mail address", (address) => {
  expect(address).toMatch(emailPattern);
});

test.each([
  "ann",
  "ann@shop",
  "ann@",
  "@shop.example",
  "ann at@shop.example",
  "a@b@shop.example",
  "ann@.example",
  "ann@shop.example, bob@shop.example",
  `${"a".repeat(65)}@shop.example`,
])("%s is none", (address) => {
  expect(address).not.toMatch(emailPattern);
});
