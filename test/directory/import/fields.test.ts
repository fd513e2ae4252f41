import { expect, test } from "bun:test";
import slugify from "@sindresorhus/slugify";
import fc from "fast-check";
import { parsePhoneNumberFromString } from "libphonenumber-js/min";
import {
  readEmail,
  readPhone,
  readPostcode,
  readWebsite,
} from "../../../src/directory/import/contacts.ts";
import { SeenTexts } from "../../../src/directory/import/seen.ts";
import { cleanAddress, cleanLine, cleanText } from "../../../src/directory/import/text.ts";
import { readCityName, readTown } from "../../../src/directory/import/towns.ts";
import { isSlug, makeSlug } from "../../../src/directory/slug.ts";

test.each([
  ["nr21ll", "NR2 1LL"],
  [" EC1A  1BB ", "EC1A 1BB"],
  ["M1-1AE", "M1 1AE"],
  // No district ends with O or I, and no sector is one.
  ["nr2 oll", "NR2 0LL"],
  ["OX1 IAA", "OX1 1AA"],
  ["W1AOAX", "W1A 0AX"],
  ["NR1O OAA", "NR10 0AA"],
  ["NR2", null],
  ["NR2 LLL", null],
  ["12345", null],
])("postcode %p is %p", (text, postcode) => expect(readPostcode(text)).toBe(postcode));

test.each([
  ["+44 1632 960123", "01632 960123"],
  ["01632960123", "01632 960123"],
  ["020 7946 0829    ", "020 7946 0829"],
  ["07700900123", "07700 900123"],
  ["1632960123", "01632 960123"],
  ["1632960123.0", "01632 960123"],
  ["01632 960123 (ext. 4)", "01632 960123 x4"],
  ["01632 960123 (ext. 1632960456)", "01632 960123"],
  ["Shop 01632 960123 ext 079460829", "01632 960123"],
  ["020 7946 0829 x7946045", "020 7946 0829 x7946045"],
  ["020 7946 0829 x79460456", "020 7946 0829"],
  ["01632 960123; 01632 960456", "01632 960123"],
  ["ask Bob / 01632 960456", "01632 960456"],
  ["0161 496 0123 or 0161 496 0124", "0161 496 0123"],
  ["01632 960123 & 01632 960124", "01632 960123"],
  ["01632 960123 and 07700 900124", "01632 960123"],
  ["01632 960123\n01632 960124", "01632 960123"],
  ["01603 612345 (24 hours)", "01603 612345"],
  ["020 7946 0829 (shop) 020 7946 0830 (office)", "020 7946 0829"],
  ["01785 813277 816807", "01785 813277"],
  ["01603 612345 07700 900123", "01603 612345"],
  ["020 7946 0829 020 7946 0830", "020 7946 0829"],
  ["01603612345 01603612346", "01603 612345"],
  ["01603/612345", "01603 612345"],
  ["01603/612345/612346", "01603 612345"],
  ["01632 960123 Fax 01632 960999", "01632 960123"],
  ["01632 960999 (fax)", null],
  ["Fax: 01632 960999; Tel: 01632 960123", "01632 960123"],
  ["F 01632 960999 / T 01632 960123", "01632 960123"],
  ["Fax 01632 960999", null],
  ["+33 1 42 68 53 00", null],
  ["+4 1603 667677", null],
  ["9533080", null],
  ["none", null],
])("phone %p is %p", (text, phone) => expect(readPhone(text)).toBe(phone));

test.each([
  ["shop.example", "https://shop.example"],
  ["//shop.example", "https://shop.example"],
  ["shop.example:8080", "https://shop.example:8080"],
  ["www.shop.example/a b", null],
  ["https://shop.example/our shop", null],
  ["https://shop.example/shop (main)", "https://shop.example/shop"],
  ["https://shop.example/ our shop", "https://shop.example/"],
  ["https://shop.example our shop", "https://shop.example"],
  ["https://one.example/shop https://two.example", "https://one.example/shop"],
  ["www.one.example/a www.two.example/b", "https://www.one.example/a"],
  ["HTTP://Shop.example/Path", "http://shop.example/Path"],
  ["https://shop.example", "https://shop.example"],
  ["https://shop.example:8080/?q=1", "https://shop.example:8080/?q=1"],
  ["https://one.example;https://two.example", "https://one.example"],
  ["one.example, two.example", "https://one.example"],
  ["one.example,www.two.example,", "https://one.example"],
  ["https://one.example/a,b.html", "https://one.example/a,b.html"],
  ["http://www.shop.example.", "http://www.shop.example"],
  ["\u200bhttps://shop.example", "https://shop.example"],
  ["one.example,two.example", null],
  ["4.5", null],
  ["M.C.S.", null],
  ["https://shop.example/wiki/Acme_Ltd.", "https://shop.example/wiki/Acme_Ltd."],
  ["http://192.0.2.1/", null],
  ["javascript:alert(1)", null],
  ["mailto:a@shop.example", null],
  ["ftp://shop.example/", null],
  ["example.shop.app://open", null],
  ["https://user:secret@shop.example/", null],
  ["https://:secret@shop.example/", null],
  ["https://user@shop.example/", null],
  ["http://localhost/", null],
  ["http://exa mple.com", null],
  ["n/a", null],
])("website %p is %p", (text, website) => expect(readWebsite(text)).toBe(website));

test.each([
  ["Hello@Shop.example", "Hello@Shop.example"],
  ["mailto:a@b.example", "a@b.example"],
  ["a@b.example; c@d.example", "a@b.example"],
  ["Ann Lee <a@b.example>", "a@b.example"],
  ["Write to a@b.example.", "a@b.example"],
  ["Email:a@b.example", "a@b.example"],
  ["E: a@b.example", "a@b.example"],
  ["a@b.example/c@d.example", "a@b.example"],
  ["a@b|c@d.example", "c@d.example"],
  ["mailto:a@b.example?subject=Hello", "a@b.example"],
  ["(pat.o'neil@b.example)", "pat.o'neil@b.example"],
  ["'a@b.example'", "a@b.example"],
  ["\u200ba@b.example", "a@b.example"],
  ["a@b", null],
  // 254 characters are the most that a mail address may have.
  [`ann@${"b.".repeat(124)}uk`, `ann@${"b.".repeat(124)}uk`],
  [`ann@${"b.".repeat(124)}com`, null],
  ["not an address", null],
])("email %p is %p", (text, email) => expect(readEmail(text)).toBe(email));

test.each([
  ["SHEFFIELD", "Sheffield"],
  ["slough", "Slough"],
  ["  Great   Yarmouth. ", "Great Yarmouth"],
  ["Stoke-On-Trent", "Stoke-on-Trent"],
  ["KING'S LYNN", "King's Lynn"],
  ["Norwich, Norfolk", "Norwich"],
  ["Norwich NR2 1LL", "Norwich"],
  ["Norwich NR21LL", "Norwich"],
  ["Hayes, Middlesex", "Hayes"],
  ["Ashford Kent", "Ashford"],
  ["Norwich Norfolk UK", "Norwich"],
  ["Norwich - Norfolk - NR2 1LL UK", "Norwich"],
  ["Bradford on Avon Wilts England", "Bradford on Avon"],
  ["Wakefield West Yorkshire", "Wakefield"],
  ["Bradford on Avon", "Bradford on Avon"],
  ["THE MUMBLES", "The Mumbles"],
  ["Nr Matlock", "Matlock"],
  ["Nr. Wigan", "Wigan"],
  ["Nr.Wigan Lancashire", "Wigan"],
  ["Nrthampton", "Nrthampton"],
  ["Nearton", "Nearton"],
  ["Rotherham S.Yorkshire", "Rotherham"],
  ["Chichester, W.Sussex", "Chichester"],
  ["Cranham. Upminster", "Upminster"],
  ["St. Helens", "St Helens"],
  ["Chadwell St.Mary", "Chadwell St Mary"],
  ["ST.LEONARDS-ON-SEA", "St Leonards-on-Sea"],
  ["NorthwichCheshire", "Northwich"],
  ["Trevol Road Torpoint", "Torpoint"],
  ["Chester Le Street", "Chester le Street"],
  ["ADWICK LE STREET", "Adwick le Street"],
  ["Hazel Grove", "Hazel Grove"],
  ["EASINGTON LANE", "Easington Lane"],
  ["Grampound Road, Truro", "Truro"],
  ["GRAMPOUND ROAD", "Grampound Road"],
  ["St. Columb Road", "St Columb Road"],
  ["HIGH LANE", "High Lane"],
  ["Golden Grove", "Golden Grove"],
  ["Green Street Green, Orpington", "Orpington"],
  ["Green Street Green", "Green Street Green"],
  ["Belper Lane End, Derbyshire", "Belper Lane End"],
  ["Otley Road Headingley", "Headingley"],
  ["New England", "New England"],
  ["Dinas Powys", "Dinas Powys"],
  ["Llanfair Dyffryn Clwyd", "Llanfair Dyffryn Clwyd"],
  ["CHAPEL-EN-LE-FRITH", "Chapel-en-le-Frith"],
  ["Westward Ho!", "Westward Ho!"],
  ["Street", "Street"],
  ["Forest Row", "Forest Row"],
  ["Durham", "Durham"],
  ["Diss - Norfolk", "Diss"],
  ["Diss/Norfolk", "Diss"],
  ["Diss (Norfolk)", "Diss"],
  ["MacMerry", "MacMerry"],
  ["Derry/Londonderry", "Derry"],
  ["Caerdydd / Cardiff", "Caerdydd"],
  ["Cowes IOW", "Cowes"],
  ["Norwich City Centre", "Norwich"],
  ["GT. YARMOUTH", "Great Yarmouth"],
  ["Saint Albans", "St Albans"],
  ["BURY SAINT EDMUNDS", "Bury St Edmunds"],
  ["Saintfield", "Saintfield"],
  ["n.walsham", "North Walsham"],
  ["E Grinstead", "East Grinstead"],
  ["Forfar, Angus", "Forfar"],
  ["Ebbw Vale, Blaenau Gwent", "Ebbw Vale"],
  ["Galashiels, Scottish Borders", "Galashiels"],
  ["INVERNESS, INVERNESS-SHIRE", "Inverness"],
  ["Barry Vale Of Glamorgan", "Barry"],
  ["Portree, Isle of Skye", "Portree"],
  ["Isle Of Skye", "Isle of Skye"],
  ["KIRKWALL ORKNEY", "Kirkwall"],
  ["Stratford U Avon", "Stratford upon Avon"],
  ["BURTON U TRENT", "Burton upon Trent"],
  ["Newcastle U Lyme", "Newcastle under Lyme"],
  ["Coupar Angus, Perth and Kinross", "Coupar Angus"],
  ["Dalkeith Mid Lothian", "Dalkeith"],
  ["Barrow upon humber", "Barrow upon Humber"],
  ["Westcliff-on-sea", "Westcliff-on-Sea"],
  ["Mansfield woodhouse", "Mansfield Woodhouse"],
  ["Pont-faen", "Pont-faen"],
  ["Boat o' Brig", "Boat o' Brig"],
  ["Upton-by-chester", "Upton-by-Chester"],
  ["JOHN O'GROATS", "John O'Groats"],
  ["Newcastle\nupon Tyne", "Newcastle upon Tyne"],
  ["STOW ON\r\nTHE WOLD", "Stow on the Wold"],
  ["Burton\nOn Trent\nStaffs", "Burton on Trent"],
  ["12 Mill Lane\nAshby de\nla Zouch", "Ashby de la Zouch"],
  ["CHESTER\nLE STREET", "Chester le Street"],
  ["Horsforth\nLeeds", "Leeds"],
  ["12 High Street\nThe Mumbles", "The Mumbles"],
  ["12 Mill Lane\nnear Wigan", "Wigan"],
])("town %p is %p", (text, town) => expect(readTown(text)?.name).toBe(town));

test.each([
  "West Sussex",
  "W.Sussex",
  "Kent",
  "East Lothian",
  "Argyll & Bute",
  "Pembs",
  "Please select",
  "Co. Durham",
  "High Street",
  "12 Broad Walk",
  "Station Road",
  "12 Hazel Grove",
  "NR2 1LL",
  "Retail Park Unit 4",
  "Town Centre",
  "Hyperchem Ltd T/a Ronchetti",
  "Tesco Express/High Street",
  "Thornaby New Town Centre",
  "-",
  "n/a",
  "United Kingdom",
  "Norfolk England UK",
])("%p is no town", (text) => expect(readTown(text)).toBeNull());

test.each([
  ["Test City 12", "Test City 12"],
  ["  Zed   town ", "Zed town"],
  ["St. Ives (Cambs)", "St. Ives (Cambs)"],
  ["NORWICH", "Norwich"],
  ["Norwich, Norfolk", "Norwich"],
  ["Newcastle\nupon Tyne", "Newcastle upon Tyne"],
  ["High Street, Unit 4", null],
  ["#N/A", null],
  ["-", null],
  ["42", null],
  [`A${"&".repeat(40)}`, null],
  // Lower case and NFC make two characters of each.
  ["İ".repeat(110), null],
  [`Ab${"\u0344".repeat(110)}`, null],
])("the display name %p is the city %p", (text, city) => {
  expect(readCityName(text)?.name ?? null).toBe(city);
});

test("text far too long to be a town is rejected, and takes no time", () => {
  const begun = performance.now();
  expect(readTown(`a${"-".repeat(100_000)}a`)).toBeNull();
  expect(readTown(`${" ".repeat(300)}Leeds`)).toBeNull();
  expect(readTown(`A${"&".repeat(40)}`)).toBeNull();
  expect(performance.now() - begun).toBeLessThan(500);
});

test("text far too long to be a contact is none, and takes no time", () => {
  const begun = performance.now();
  expect(readEmail(`a${".".repeat(100_000)}a`)).toBeNull();
  expect(readWebsite(`https://a${".".repeat(100_000)}a`)).toBeNull();
  expect(readPhone("0 ".repeat(50_000))).toBeNull();
  expect(performance.now() - begun).toBeLessThan(500);
});

test("spellings of one town have one slug", () => {
  const slugs = ["St Helens", "ST. HELENS", "St.Helens", "st-helens", "SAINT HELENS"].map(
    (text) => readTown(text)?.slug,
  );
  expect(new Set(slugs)).toEqual(new Set(["st-helens"]));
});

test.each([
  ["Joe’s & Sons", "joes-and-sons"],
  ["Rock 'n' Roll King's", "rock-n-roll-kings"],
  ["Łódź Ærøskøbing", "lodz-aeroskobing"],
  ["BRAŞOV", "brasov"],
  ["B&Q", "b-and-q"],
  ["ﬁsh & Ⅷ ½ chips", "fish-and-viii-1-2-chips"],
  ["Ｆｕｌｌ Ｗｉｄｔｈ™", "full-width"],
  ["Ace™Tools™Ltd", "ace-tools-ltd"],
  ["!!!", ""],
])("the slug of %p is %p", (text, slug) => expect(makeSlug(text)).toBe(slug));

test("invisible characters are removed from lines and texts", () => {
  expect(cleanLine("\ufeff Cafe\u0301\u0000\t\u200bBar \n")).toBe("Café Bar");
  expect(cleanText("a  b \r\n\r\n\r\n\r\n c\u0007 \n\n\nd ")).toBe("a b\n\nc\n\nd");
  expect(cleanText("a\rb\rc")).toBe("a\nb\nc");
});

test.each([
  ["12 High Street,", "12 High Street"],
  [", 12 High Street", "12 High Street"],
  ["Unit 1 ,, 12 High Street, , ", "Unit 1, 12 High Street"],
  ["Unit 1,\n,\n12 High Street", "Unit 1, 12 High Street"],
  ["12,High Street", "12,High Street"],
  [" , ", ""],
])("the address %p is %p", (text, address) => expect(cleanAddress(text)).toBe(address));

test("Windows-1252 characters that were read as Latin-1 are restored", () => {
  expect(cleanLine("Cornwell\x92s \x96 Caf\u00e9")).toBe("Cornwell’s – Café");
  expect(cleanText("\x93Open\x94\nlate\x85")).toBe("“Open”\nlate…");
  // Unassigned in Windows-1252.
  expect(cleanLine("a\x81b\x9d")).toBe("ab");
});

test("HTML entities are decoded, also where they were encoded twice", () => {
  expect(cleanLine("Fish &amp; Chips &#39;n&#x27; Pie&nbsp;")).toBe("Fish & Chips 'n' Pie");
  expect(cleanLine("Caf&eacute; Joe&amp;#146;s &amp;amp; Co")).toBe("Café Joe’s & Co");
  expect(cleanText("&pound;5\n&lt;lunch&gt;")).toBe("£5\n<lunch>");
  // Not without their semicolon, as in addresses.
  expect(cleanLine("Rhythm &notes &amp")).toBe("Rhythm &notes &amp");
  expect(readWebsite("https://shop.example/?a=1&amp;b=2&copy=3")).toBe(
    "https://shop.example/?a=1&b=2&copy=3",
  );
});

test("a phone number on its own is read like one found within a text", () => {
  const text = fc.oneof(
    fc.stringMatching(/^\+?[\d ()-]{5,15}$/),
    fc.stringMatching(/^(0|\+44 ?|0044)[12378]\d{2,3} ?\d{3} ?\d{3,4}$/),
  );
  fc.assert(
    fc.property(text, (text) => {
      const found = parsePhoneNumberFromString(text, "GB");
      const isBritish = found?.countryCallingCode === "44" && found.isValid();
      if (isBritish) expect(readPhone(text)).toBe(found.formatNational());
      else expect(readPhone(text) ?? "none").toMatch(/^none$|^0(115 4960|1632 960|7700 900)/);
    }),
    { numRuns: 500, seed: 7 },
  );
});

test("ASCII without apostrophes gives the same slug as the library", () => {
  const ascii = Array.from({ length: 127 - 32 }, (_, code) => String.fromCharCode(32 + code));
  const sign = fc.constantFrom(...ascii.filter((sign) => sign !== "'" && sign !== "`"));
  const text = fc.oneof(
    fc.stringMatching(/^[A-Za-z0-9]{1,8}( [A-Za-z0-9]{1,8}){0,4}$/),
    fc.string({ unit: sign, maxLength: 20 }),
  );
  fc.assert(
    fc.property(text, (text) => {
      expect(makeSlug(text)).toBe(slugify(text, { decamelize: false }));
    }),
    { numRuns: 500, seed: 7 },
  );
});

test("a slug is words of letters and digits with single hyphens between, 120 characters at most", () => {
  const slugs = ["a", "24-7", "x".repeat(120)];
  const others = ["", "-a", "a-", "a--b", "a b", "a!", "A", "x".repeat(121)];
  expect([...slugs, ...others].filter(isSlug)).toEqual(slugs);
});

test("text is clean exactly when cleaning leaves it unchanged", () => {
  const text = fc.string({
    unit: fc.constantFrom("a", "~", " ", "\n", "\t", "\u00a0", "\u200b", "é"),
  });
  fc.assert(
    fc.property(text, (text) => {
      expect(cleanLine(text)).toBe(
        text
          .replace(/\u200b/g, "")
          .replace(/\s+/g, " ")
          .trim(),
      );
      expect(cleanText(cleanText(text))).toBe(cleanText(text));
    }),
    { numRuns: 500, seed: 7 },
  );
});

test("each text is new once, however many there are", () => {
  const seen = new SeenTexts();
  const texts = Array.from({ length: 200_000 }, (_, number) => `row-${number}`);
  expect(texts.every((text) => seen.add(text))).toBe(true);
  expect(texts.some((text) => seen.add(text))).toBe(false);
});

test("texts with colliding hashes are told apart, and one whose hash begins with zeros is known", () => {
  const seen = new SeenTexts();
  // 0x52537ca3c0bb7206, 0x52537ca3fe5b7206 and 0x000000005a30bc32.
  const texts = ["uvFgF34l", "TktpBE24", "P2RclXYz"];
  expect(texts.map((text) => seen.add(text))).toEqual([true, true, true]);
  expect(texts.map((text) => seen.add(text))).toEqual([false, false, false]);
});

test("unordered ids are told apart", () => {
  const seen = new SeenTexts();
  const ids = Array.from({ length: 400_000 }, (_, number) =>
    BigInt.asUintN(64, BigInt(number) * 0x9e37_79b9_7f4a_7c15n)
      .toString(36)
      .padStart(13, "0")
      .slice(-8),
  );
  expect(ids.filter((id) => !seen.add(id))).toEqual([]);
});
