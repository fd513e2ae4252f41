import type { Random } from "./random.ts";
import type { Town } from "./towns.ts";

/** Contacts of a business that does not exist; each may be "" for none. */
export function pickContacts(random: Random, name: string, town: Town) {
  const saysWhere = random.chance(0.3) && !name.includes(town.name);
  const host = `${hostLabel(saysWhere ? `${name} ${town.name}` : name)}.example`;
  const hasWebsite = random.chance(0.74);
  return {
    phone: random.chance(0.88) ? pickPhone(random, town) : "",
    email: random.chance(0.68) ? `${random.pick(mailboxes)}@${host}` : "",
    website: hasWebsite ? pickWebsite(random, host) : "",
  };
}

/**
 * A number, in national format, from one of the ranges that Ofcom reserves for drama, so that it never
 * reaches anyone. https://www.ofcom.org.uk/phones-and-broadband/phone-numbers/numbers-for-drama
 */
function pickPhone(random: Random, town: Town): string {
  const sort = random.fraction();
  const digits = random.between(0, 999).toString().padStart(3, "0");
  if (sort < 0.25) return `07700 900${digits}`;
  if (sort < 0.29) return `0808 157 0${digits}`;
  if (sort < 0.32) return `0306 999 0${digits}`;
  return (areaRange(town) ?? "01632 960") + digits;
}

const areaRange = (town: Town): string | undefined =>
  town.nation === "Northern Ireland" ? "028 9649 6" : areaRanges[town.name];

/** The leading digits of the thousand numbers reserved in an area. */
const areaRanges: Record<string, string> = {
  Leeds: "0113 496 0",
  Sheffield: "0114 496 0",
  Nottingham: "0115 496 0",
  Leicester: "0116 496 0",
  Bristol: "0117 496 0",
  Reading: "0118 496 0",
  Birmingham: "0121 496 0",
  Edinburgh: "0131 496 0",
  Glasgow: "0141 496 0",
  Paisley: "0141 496 0",
  Liverpool: "0151 496 0",
  Birkenhead: "0151 496 0",
  Manchester: "0161 496 0",
  Stockport: "0161 496 0",
  Oldham: "0161 496 0",
  Bury: "0161 496 0",
  "Newcastle upon Tyne": "0191 498 0",
  Sunderland: "0191 498 0",
  Durham: "0191 498 0",
  London: "020 7946 0",
  Cardiff: "029 2018 0",
};

const mailboxes = ["hello", "info", "info", "enquiries", "contact", "bookings", "office"];

function pickWebsite(random: Random, host: string): string {
  const sort = random.fraction();
  if (sort < 0.5) return `https://www.${host}/`;
  if (sort < 0.9) return `https://${host}/`;
  return `http://www.${host}/`;
}

/** A name as one label of a host name: at most 63 letters and digits (RFC 1035). */
function hostLabel(name: string): string {
  return name
    .normalize("NFD")
    .replace(/[^a-zA-Z0-9]+/g, "")
    .toLowerCase()
    .slice(0, 60);
}
