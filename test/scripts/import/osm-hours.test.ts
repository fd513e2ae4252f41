import { expect, spyOn, test } from "bun:test";
import { readWeek } from "../../../scripts/import/osm-hours.ts";

/** A week in short: "MON 09:00-17:00", "SUN closed", "TUE 24h". */
function week(value: string): string[] | null {
  return (
    readWeek(value)?.map(({ day, openTime, closeTime, isClosed, is24Hours }) => {
      const times = isClosed ? "closed" : is24Hours ? "24h" : `${openTime}-${closeTime}`;
      return `${day.slice(0, 3)} ${times}`;
    }) ?? null
  );
}

const DAYS = ["MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"];
const each = (times: string, days = DAYS) => days.map((day) => `${day} ${times}`);

test("days that are not named are closed", () => {
  expect(week("Mo-Fr 09:00-17:30")).toEqual([
    ...each("09:00-17:30", DAYS.slice(0, 5)),
    ...each("closed", ["SAT", "SUN"]),
  ]);
});

test("rules for public holidays do not change the normal week", () => {
  const expected = [...each("09:00-17:00", DAYS.slice(0, 6)), "SUN 10:00-16:00"];
  expect(week("Mo-Sa 09:00-17:00; Su,PH 10:00-16:00")).toEqual(expected);
  expect(week("Mo-Sa 09:00-17:00; Su 10:00-16:00; PH off")).toEqual(expected);
  expect(
    week(
      "Mo-Sa 09:00-17:00; Su 10:00-16:00; Dec 25 off; Easter Sunday off".replace("Sunday ", " "),
    ),
  ).toEqual(expected);
  expect(week("Mo-Sa 09:00-17:00; Su,BH 10:00-16:00")).toEqual(expected);
  expect(week("SH Mo-Fr 08:00-20:00; Mo-Sa 09:00-17:00; Su 10:00-16:00")).toEqual(expected);
  expect(week("Mo-Sa 09:00-17:00; Su 10:00-16:00; SH Mo-Fr 08:00-20:00")).toEqual(expected);
  expect(week("mo-sa 09:00-17:00; su,bh 10:00-16:00; sh off")).toEqual(expected);
});

test("a rule for school holidays and other days holds on the other days", () => {
  const expected = week("Mo-Fr 09:00-17:00; Sa 10:00-16:00; Su off");
  expect(week("Mo-Fr 09:00-17:00; Sa 10:00-16:00; PH,SH off")).toEqual(expected);
  expect(week("MO-FR 09:00-17:00; SA 10:00-16:00; ph,sh OFF")).toEqual(expected);
  expect(week("Mo-Fr 09:00-17:00; Sa, SH 10:00-16:00; Su,SH,PH off")).toEqual(expected);
  expect(week("Mo-Fr 09:00-17:00; SH,Sa 10:00-16:00")).toEqual(expected);
});

test("days after times begin a rule of their own, also where no semicolon says so", () => {
  const expected = week("Mo-Fr 09:00-12:00,13:00-17:00; Sa 09:00-12:00; Su off");
  expect(week("Mo-Fr 09:00-12:00,13:00-17:00 Sa 09:00-12:00")).toEqual(expected);
  expect(week("Mo-Fr 09:00-12:00,13:00-17:00 Sa 09:00-12:00 Su off PH off")).toEqual(expected);
  expect(week("Mo-Fr 9AM-12 PM,1PM-5 p.m. Sa 9AM-12PM Su off")).toEqual(expected);
  expect(week("Su off Mo-Sa 09:00-12:00")).toEqual(week("Mo-Sa 09:00-12:00; Su off"));
  expect(week("09:00-12:00 Mo-Su")).toEqual(each("09:00-12:00"));
  expect(week("Jan 1-Dec 31 Mo-Su 09:00-12:00")).toEqual(each("09:00-12:00"));
});

test("days and spans are understood as people write them", () => {
  const expected = week("Mo-Fr 09:00-17:00; Sa 10:00-13:00; Su off");
  for (const written of [
    "Mon-Fri 09:00-17:00 Sat 10:00-13:00",
    "Mo-Fr 09:00-17:00 Sat. 10:00-13:00",
    "mon to fri 9am to 5pm sat 10am until 1pm",
    "Mondays to Fridays 9:00 — 17:00 Saturdays 10:00 — 13:00 Sundays Closed",
  ]) {
    expect([written, week(written)]).toEqual([written, expected]);
  }
  expect(week("Mon-Tues 12:00-14:00; 17:00-21:00")).toEqual(week("Mo-Tu 12:00-14:00,17:00-21:00"));
  for (const day of ["Wed", "Weds", "Wednesday", "WEDNESDAYS"]) {
    const both = week(`Thurs 9:00-17:00 ${day} 10:00-13:00`);
    expect([day, both]).toEqual([day, week("Th 9:00-17:00; We 10:00-13:00")]);
  }
});

test.each([
  ["Mon-Thu 9am-5pm, Fri 9am-4pm", "Mo-Th 09:00-17:00; Fr 09:00-16:00"],
  ["Mon - Fri, 9am - 5pm", "Mo-Fr 09:00-17:00"],
  ["Mon-Fri 0900-1730, Sat 0900 - 1200", "Mo-Fr 09:00-17:30; Sa 09:00-12:00"],
  ["Fri 1900-2300", "Fr 19:00-23:00"],
  ["2024-2026 Mo-Fr 09:00-17:00", "Mo-Fr 09:00-17:00"],
  ["Mon-Sat 9am-noon", "Mo-Sa 09:00-12:00"],
  ["Mon-Sat 9am-12:00 noon", "Mo-Sa 09:00-12:00"],
  ["Daily 12.00 midday - 12.00 midnight", "Mo-Su 12:00-24:00"],
  ["9am-5pm Monday to Friday, 10am-4pm Saturday", "Mo-Fr 09:00-17:00; Sa 10:00-16:00"],
  ["9am-5.30pm, Mon-Fri; 9-12pm, Sat", "Mo-Fr 09:00-17:30; Sa 09:00-12:00"],
  [
    "9am-1pm & 2pm-5pm Mon, Tue, Thu, 9am-1pm Wed",
    "Mo,Tu,Th 09:00-13:00,14:00-17:00; We 09:00-13:00",
  ],
  ["10am-5pm Mon-Sat, 11am-4pm Sun, closed Bank Holidays", "Mo-Sa 10:00-17:00; Su 11:00-16:00"],
  ["8am-8pm, 7 days a week", "Mo-Su 08:00-20:00"],
  ["Mon-Fri (9am-5pm), Sat (10am - 1pm)", "Mo-Fr 09:00-17:00; Sa 10:00-13:00"],
  ["9am-5pm (Mon-Fri)", "Mo-Fr 09:00-17:00"],
  ["Mon-Sun 12 noon - 2.30pm, 6pm - 12 midnight", "Mo-Su 12:00-14:30,18:00-24:00"],
  ["Mon to Sat 8:30am - 6pm, closed Sun", "Mo-Sa 08:30-18:00; Su off"],
  ["Mon-Sat 9am-5pm closed Sundays and Bank Holidays", "Mo-Sa 09:00-17:00; Su off"],
  ["Daily 10am-5pm, closed on Mondays and Tuesdays", "We-Su 10:00-17:00"],
  ["Closed Mondays, Tue-Sun 12pm-10pm", "Tu-Su 12:00-22:00"],
  ["Mon-Fri 9am-5pm closed Sat & Sun", "Mo-Fr 09:00-17:00"],
  ["Mon-Fri 9am-5pm, closed Sat, Sun 10am-4pm", "Mo-Fr 09:00-17:00; Su 10:00-16:00"],
  ["Mon: Closed Tue-Sun: 9am-5pm", "Tu-Su 09:00-17:00"],
  ["Mon-Fri 9am-5pm closed Sat Sun", "Mo-Fr 09:00-17:00"],
  ["Tue-Sun 10am-5pm. Closed Mondays.", "Tu-Su 10:00-17:00"],
  ["Mon closed Tue 9am-5pm", "Tu 09:00-17:00"],
  ["Sun closed, Mon 9am-5pm", "Mo 09:00-17:00"],
  ["Mon-Fri 8am-6pm; Bank Holidays closed", "Mo-Fr 08:00-18:00"],
  ["Wednesday to Sunday and Bank Holiday Mondays 10am-5pm", "We-Su 10:00-17:00"],
  ["Tue-Sun, BH Mon 10am-5pm", "Tu-Su 10:00-17:00"],
  ["Mon-Sat 9am-5pm, closed Bank Hols", "Mo-Sa 09:00-17:00"],
  ["Bank Holidays Mon to Fri 10am-4pm; Mon-Fri 8am-6pm", "Mo-Fr 08:00-18:00"],
  ["Mon-Fri 9am-5pm; Sat/Sun/Bank Holidays closed", "Mo-Fr 09:00-17:00"],
  ["Mon-Fri 8am-5pm; MOT 8am-4pm", "Mo-Fr 08:00-17:00"],
  ["Mon-Fri 9am-5pm, Sat/Sun 10am-4pm", "Mo-Fr 09:00-17:00; Sa,Su 10:00-16:00"],
  ["Monday: 9 AM–5 PM | Tuesday: 9 AM–4 PM", "Mo 09:00-17:00; Tu 09:00-16:00"],
  ["24hrs", "24/7"],
  ["Always open", "24/7"],
  ["24 hours a day, 7 days a week", "24/7"],
  ["Open 7 days 9am - 5pm", "Mo-Su 09:00-17:00"],
  ["12:00 AM - 11:59 PM", "Mo-Su 00:00-23:59"],
  ["M-F 9am-5pm Sat 10am-4pm", "Mo-Fr 09:00-17:00; Sa 10:00-16:00"],
  ["Weekdays 9am-5pm Weekends 10am-4pm", "Mo-Fr 09:00-17:00; Sa-Su 10:00-16:00"],
  ["Mon-Fri 9am-5pm, closed weekends", "Mo-Fr 09:00-17:00"],
  ["Mon - Closed, Tue-Sun - 12pm-10pm", "Tu-Su 12:00-22:00"],
  ["Mon-Fri: 9-5pm / Sat: 9-1pm", "Mo-Fr 09:00-17:00; Sa 09:00-13:00"],
  ["Mon-Fri 9.00-17.00. Sat 9.00-13.00.", "Mo-Fr 09:00-17:00; Sa 09:00-13:00"],
  ["9am-5pm Mon-Fri & 10am-4pm Sat", "Mo-Fr 09:00-17:00; Sa 10:00-16:00"],
  ["Monday thru Friday from 9am to 5pm", "Mo-Fr 09:00-17:00"],
  ["(Mon-Fri 9am-5pm)", "Mo-Fr 09:00-17:00"],
  ["Mon-Fri 0900hrs-1700hrs", "Mo-Fr 09:00-17:00"],
  ["9am-5pm, Bank Holidays 10am-4pm", "Mo-Su 09:00-17:00"],
  ["Mon-Fri 9am-5pm; school holidays 10am-4pm", "Mo-Fr 09:00-17:00"],
  ["Mon-Fri 9am-5pm, closed Christmas Day and Easter Monday", "Mo-Fr 09:00-17:00"],
  ["Mon-Fri 9am-5pm; Dec 24 9:00-12:00; Dec 25-26 off", "Mo-Fr 09:00-17:00"],
  ["Mon-Fri 5pm-10pm, 12pm-2pm", "Mo-Fr 12:00-14:00,17:00-22:00"],
  ["Open: Mon-Fri 9am-5pm", "Mo-Fr 09:00-17:00"],
  ["Thu-Sun 11am-5pm & Bank Holiday Mondays", "Th-Su 11:00-17:00"],
  ["Mon-Fri 9  am - 5  pm", "Mo-Fr 09:00-17:00"],
])("%s, as people write it, is %s", (written, meant) => {
  expect(week(meant)).not.toBeNull();
  expect(week(written)).toEqual(week(meant));
});

test("minutes are understood where only one of two times has them", () => {
  const expected = week("Mo-Fr 09:00-17:30; Sa 09:30-13:00; Su off");
  for (const written of [
    "Mon-Fri 9am-5.30pm Sat 9.30am-1pm",
    "Mon - Fri 9 - 5:30 p.m., Sat 9:30 am - 1 pm",
    "Mo-Fr 9-17:30; Sa 09:30-13",
  ]) {
    expect([written, week(written)]).toEqual([written, expected]);
  }
  expect(week("Mo-Su 09:00-5pm")).toEqual(each("09:00-17:00"));
  for (const unclear of ["Sa 1:30-5pm", "Mo-Sa 5pm-11:30", "Mo-Fr 9-5.30", "Mo-Sa 9am-5.30"]) {
    expect([unclear, week(unclear)]).toEqual([unclear, null]);
  }
});

test("a split day has two intervals in order", () => {
  expect(week("Mo 12:00-14:30,17:00-22:00")?.slice(0, 3)).toEqual([
    "MON 12:00-14:30",
    "MON 17:00-22:00",
    "TUE closed",
  ]);
});

test("times that follow a semicolon are further ones of the days before it", () => {
  const days = DAYS.slice(0, 5);
  const split = (...times: string[]) =>
    days.flatMap((day) => times.map((span) => `${day} ${span}`));
  const closed = each("closed", ["SAT", "SUN"]);
  expect(week("Mo-Fr 12:00-14:30;17:00-21:00")).toEqual([
    ...split("12:00-14:30", "17:00-21:00"),
    ...closed,
  ]);
  expect(week("Mo-Fr 8:00-10:00; 12:00-14:00; 17:00-21:00; Sa,Su off")).toEqual([
    ...split("08:00-10:00", "12:00-14:00", "17:00-21:00"),
    ...closed,
  ]);
  for (const written of ["Mo-Fr: 12:00-14:30; 17:00-21:00", "Mo-Fr 12.00-14.30; 17.00-21.00"]) {
    expect(week(written)).toEqual([...split("12:00-14:30", "17:00-21:00"), ...closed]);
  }
  for (const written of ["Mo-Fr 12-14; 17-21", "Mo-Fr 12pm-2pm; 5:00 PM-9:00 p.m."]) {
    expect(week(written)).toEqual([...split("12:00-14:00", "17:00-21:00"), ...closed]);
  }
  expect(week("09:00-12:00; 13:00-17:00")).toEqual(week("Mo-Su 09:00-12:00,13:00-17:00"));
  expect(week("Mo-Fr 12:00-14:00; 14.30-21.00")).toEqual([
    ...split("12:00-14:00", "14:30-21:00"),
    ...closed,
  ]);
  expect(week("Mo-Fr 9:00-12:00; 13:00-17:00; Sa 9:00-11:00; 13:00-15:00")).toEqual([
    ...split("09:00-12:00", "13:00-17:00"),
    ...["SAT 09:00-11:00", "SAT 13:00-15:00", "SUN closed"],
  ]);
  // These are no further ones, but those of all days.
  expect(week("Dec 24 08:00-12:00; 13:00-17:00")).toEqual(each("13:00-17:00"));
});

test("hours past midnight belong to the day on which they begin, Sunday's too", () => {
  expect(week("Mo-Th,Su 18:00-02:00; Fr-Sa 18:00-04:00")).toEqual([
    ...each("18:00-02:00", DAYS.slice(0, 4)),
    ...each("18:00-04:00", ["FRI", "SAT"]),
    "SUN 18:00-02:00",
  ]);
  expect(week("Mo-Su 11:00-24:00")).toEqual(each("11:00-00:00"));
});

test("whole days are 24 hours", () => {
  expect(week("24/7")).toEqual(each("24h"));
  expect(week("Mo-Sa 00:00-24:00; Su off")).toEqual([
    ...each("24h", DAYS.slice(0, 6)),
    "SUN closed",
  ]);
  expect(week("24/7; Tu off")).toEqual(each("24h").with(1, "TUE closed"));
  for (const midnight of ["00:00-00:00", "12:00am-12:00am"]) {
    expect(week(`Mo-Su ${midnight}`)).toEqual(each("24h"));
  }
  expect(week("Mo 06:00-24:00; Tu-Fr 00:00-24:00; Sa 00:00-22:00; Su 10:00-16:00")).toEqual([
    "MON 06:00-00:00",
    ...each("24h", ["TUE", "WED", "THU", "FRI"]),
    "SAT 00:00-22:00",
    "SUN 10:00-16:00",
  ]);
});

test("known hours with an open end are known, an open end alone is not", () => {
  expect(week("Mo-Su 11:00-22:00+")).toEqual(each("11:00-22:00"));
  expect(week("Mo-Su 11:00+")).toBeNull();
  expect(week("Mo-Sa 09:00-17:00; Su 12:00+")).toBeNull();
});

test.each([
  ["of the season", "Apr-Sep: Mo-Su 10:00-18:00; Oct-Mar: Sa-Su 10:00-16:00"],
  ["of a few months", "Feb,Jun,Sep,Nov: Mo-Su 10:00-18:00"],
  ["of most months", "Feb-Nov 10:00-16:00"],
  ["of some weeks", "week 2-52/2 Mo-Fr 09:00-17:00"],
  ["of some Fridays of a month", "Fr[1,3] 09:00-12:00"],
  ["of the first Saturday of a month", "Mo-Fr 09:00-17:00; Sa[1] 10:00-12:00"],
  ["of the last Friday of a month", "Mo-Th 09:00-17:00; Fr[-1] 09:00-12:00"],
  ["of the sun", "sunrise-sunset"],
  ["of the sun, in capitals", "Sunrise-Sunset"],
  ["from dawn", "Mo-Su dawn-22:00"],
  ["from sunrise", "Mo-Su (sunrise+01:00)-18:00"],
  ["until sunset", "Mo-Su 09:00-sunset"],
  ["until dusk", "Mo-Su 09:00-dusk"],
  ["in words", '"by appointment"'],
  ["partly in words", 'Mo-We "private hire"; Th-Sa 21:00-03:00'],
  ["that never come", "Mo-Su off"],
  ["with words that may matter", "Mon-Fri 9am-5pm term time only"],
  ["in words of another language", "Montag-Freitag 09:00-17:00"],
  ["that are over", "2018 Apr 9-10 08:00-19:00"],
  ["that are none", "whenever we like"],
  ["that are nothing", ""],
  ["that are only days", "Mo-Sa"],
  ["that are only days, one by one", "Tu, We, Th"],
  ["that are only days, with holidays", "Mo-Sa; Dec 25-26 off"],
  ["that are open, whenever that is", "open"],
  ["that are open on some days", "Mo-Fr open; Sa,Su off"],
  ["that are open, in capitals", "Mo-Fr Open"],
  ["that are open on some days and closed on others", "Mon-Fri open, Sat closed"],
  ["of twelve hours, as it seems", "Mo-Sa 9-5"],
  ["of twelve hours on one day", "Mo-Fr 08:00-18:00; Sa 8-1"],
  ["of twelve hours, twice a day", "12-3, 5-11"],
  ["of twelve hours, from noon", "Mo-Fr 12-3"],
  ["of twelve hours, in the evening", "Mo-Sa 5-11"],
  ["of twelve hours, in the evening before noon", "Mo-Sa 6-11"],
  ["of twelve hours, in the evening before noon, with minutes", "Mo-Sa 7:00-10:30"],
  ["of twelve hours, from early until late", "Mo-Sa 8-10"],
  ["of twelve hours, from early until late, with minutes", "Mo-Sa 9.30-10.30"],
  ["of twelve hours after a lunch of 24 hours", "Mo-Fr 08:00-12:30,13:30-5:30"],
  ["of twelve hours, with minutes", "Mo-Fr 9:00-5:30"],
  ["of twelve hours, with a leading zero before only one", "Mo-Fr 09:00-5:30"],
  ["of twelve hours, with a leading zero and no minutes", "Mo-Fr 09-5"],
  ["of twelve hours, with leading zeros", "Mo-Fr 09:00-05:30"],
  ["of twelve hours, with am for pm", "Mon-Fri 9am-5am"],
  ["of twelve hours, with full stops", "Mo-Fr 9.00-5.30"],
  ["of twelve hours, with minutes and twice a day", "12:00-14:00,5:00-11:00"],
  ["of twelve hours that may both be of the evening", "Mo-Su 4-10pm"],
  ["of twelve hours that may be of the evening or the whole day", "Mo-Su 8-10pm"],
  ["of twelve hours in the afternoon", "Mo-Fr 09:00-17:00; Sa 1-5pm"],
  ["of twelve hours until the afternoon", "Mo-Fr 9am-5"],
  ["of twelve hours until the afternoon, with minutes", "Mo-Fr 9.00am - 5.30"],
  ["of twelve hours before a full stop", "Mon-Fri 10-3. Closed Sun"],
  ["of twelve hours until the night", "Fr,Sa 10-2am"],
  ["of twelve hours until the late evening", "Mo-Sa 5pm-11"],
  ["that end when they begin", "Mo-Fr 11:00-11:00; Sa 11:00-00:00; Su 11:00-18:00"],
  ["that end when they begin, written in two ways", "Mo-Fr 9:00-09:00"],
  ["that end when they begin, with a word between them", "11:00 to 11:00"],
  ["of twelve hours, with a word between them", "Mon-Fri 9 to 5"],
  ["that are only days, written in full", "Monday to Friday"],
  ["that are only days, in capitals", "MON-SAT"],
  ["that are only days, in small letters", "mon-sat"],
  ["that are only days, in other words", "Weekdays"],
  ["that are only all days", "Daily"],
  ["that are only the days of one rule of two", "Mo-Fr 09:00-17:00, Sa"],
  ["of the sun, in other words", "Daylight hours"],
  ["that may only lack a break", "Fri 5pm-11pm, Sat & Sun all day"],
  ["of twelve hours that end when they begin", "9:00am-9:00am"],
  ["of twelve hours that end when they begin, on certain days", "Mo-Fr 9:00am-9:00 am"],
  ["that lack the times of a day", "Mo-Fr 09:00-17:00; Sa,Su,PH"],
  ["that may be years", "2000-2300"],
  ["from noon by another name", "Mon-Sat 12am-3pm"],
  ["from noon by another name until closing time", "Mon-Sat 12am-11pm"],
  ["from half an hour past noon by another name", "Tue-Sun 12.30am-2.30pm"],
  ["until midnight by another name", "Fri-Sat 6.30pm-12pm"],
  ["of years without times", "2024-2026 Mo-Fr"],
  ["of school holidays on certain days", "School holidays, Mon-Fri 10am-4pm"],
  ["from a holiday on", "From Easter, daily 10am-5pm"],
])("hours %s are not understood", (_, value) => expect(readWeek(value)).toBeNull());

test.each([
  "Mo-Fr 09:00-17:00 closed 13:00-14:00; Sa 09:00-12:00",
  "9am-5pm Mon-Fri 10am-4pm Sat",
  "9am-5pm Monday to Friday 10am-4pm Saturday, 11am-3pm Sunday",
  "9am-5pm (Mon-Fri) 10am-4pm (Sat)",
  "9am-5pm Mon-Fri, Sat 10am-4pm",
  "9am-5pm Mon-Fri, Sat closed",
  "9am-5pm Mon, Wed, Fri\nTue, Thu closed\nSat, Sun closed",
  "Mon-Fri 9am-5pm (10am-4pm)",
  "Mon-Fri 9am-5pm (Sat)",
  "Closed Mon, 9am-5pm",
  "Mo-Fr 09:00-17:00, 10:00-16:00 Sa",
  "Mon-Fri 9am-5pm closed Sat Sun 10am-4pm",
  "Mon 9am-5pm Tue 9am-5pm closed Wed Thu 9am-5pm",
  "Mon-Fri 9am-5pm closed; Sat 10am-4pm",
  "Mon-Fri 9am-5pm and closed Sat and Sun 10am-4pm",
  "Mon-Thu 9am-5pm, closed Fri, Sat, Sun 1pm-5pm",
  "Closed Mon, Tue, Wed 5pm-9pm",
  "Mo-Fr 09:00-17:00, 12:30-13:30 off; Sa 10:00-12:00",
  "Mon-Fri 9am-5pm Sat Sun",
  "9am-5pm, Mon-Fri, Sat closed",
  "Closed Mon, Tue, 5pm-9pm",
  "closed Sat, Sun Mon-Fri 9am-5pm",
  "Closed Mon, Tue & Wed 5pm-9pm",
  "9am-1pm, Mon-Fri, 2pm-5pm",
  "Mo-Fr 09:00-17:00+ Sa 10:00-12:00",
  "SH 09:00-12:00, 13:00-17:30 Sa-Su",
  "Sa, SH Mo,We 10:00-16:00",
])("hours are not understood where a border between rules is missing: %s", (value) =>
  expect(readWeek(value)).toBeNull(),
);

test("hours are not understood where later rules replace all days of one, which may have been meant as well", () => {
  for (const value of [
    "Tu-Sa 12:00-14:00;Mo-Sa 17:00-23:00",
    "Tu-Sa 12:00-14:00; Tu-Th 18:00-22:00; Fr-Sa 18:00-22:30",
    "Mo-Fr 09:00-17:30; Sa 09:00-18:00; Sa 10:00-16:00",
    "Su 10:00-16:00; 08:00-20:00",
    "Fr-Sa 12:00-01:00; 12:00-23:00",
    "Closed Mondays; 9am-5pm",
    "Su off; Mo-Su 09:00-17:00",
    'Tu-Sa 12:00-14:00 "lunch"; Mo-Sa 17:00-23:00',
  ]) {
    expect([value, week(value)]).toEqual([value, null]);
  }
  expect(week("Mo-Sa 09:00-17:00; We,Sa 09:00-13:00; PH off")?.slice(1, 3)).toEqual([
    "TUE 09:00-17:00",
    "WED 09:00-13:00",
  ]);
  for (const lunch of ["Fr-Mo 13:00-14:00 off", "13:00-14:00 off; PH 12:00-14:00 off"]) {
    expect(week(`Fr-Mo 09:00-17:00; ${lunch}`)?.slice(0, 3)).toEqual([
      "MON 09:00-13:00",
      "MON 14:00-17:00",
      "TUE closed",
    ]);
  }
});

test.each([
  "Mon-Sat 9am-5.30pm, Wed 9am-1pm",
  "Mon-Sun 11am-11pm, Sun 12pm-10.30pm",
  "Mon-Sat 9am-5pm & Thu 10am-7pm",
  "10am-6pm, Sun 11am-5pm",
  "Mo-Su 12:00-04:00, Su 12:00-02:00",
  "Mo-Sa 17:00-01:00, Sa 12:00-20:00",
  "Closed Mondays, daily 10am-5pm",
  "Mon-Fri 9am-5pm, 10am-6pm",
  "Mo-Fr 09:00-17:00,10:00-18:00",
  "Mo-Su 12:00-23:00, 12:00-22:30",
  "Fr-Sa 18:00-20:00,12:00-02:00",
  "10am-6pm, 11am-5pm Sun",
])("hours are not understood where those after a comma may replace or extend others: %s", (value) =>
  expect(readWeek(value)).toBeNull(),
);

test.each([
  ["Mon-Fri 9am-5pm, Thu 9am-8pm", "Mo-We,Fr 09:00-17:00; Th 09:00-20:00"],
  ["Mon-Fri 9am-5pm, Thu 6pm-8pm", "Mo-We,Fr 09:00-17:00; Th 09:00-17:00,18:00-20:00"],
  ["Mo-Su 12:00-02:00, Fr-Sa 12:00-04:00", "Mo-Th,Su 12:00-02:00; Fr-Sa 12:00-04:00"],
  ["Mon-Sat 9am-5pm, Wed closed", "Mo-Tu,Th-Sa 09:00-17:00"],
  ["Mon-Fri 9am-5pm, Bank Holidays 10am-4pm", "Mo-Fr 09:00-17:00"],
])("hours after a comma that mean the same either way are understood: %s", (written, meant) => {
  expect(week(meant)).not.toBeNull();
  expect(week(written)).toEqual(week(meant));
});

test("hours may be of twelve, whatever stands between them", () => {
  for (const between of [" - ", " till ", " til ", " until ", " through ", ..."‐‑‒–—−~"]) {
    expect([between, week(`Mo-Fr 9${between}5`)]).toEqual([between, null]);
  }
});

test("hours without minutes or a leading zero are understood where they can only be of 24", () => {
  expect(week("Mo-Su 9-17")).toEqual(each("09:00-17:00"));
  expect(week("Mo-Su 05-11")).toEqual(each("05:00-11:00"));
  expect(week("Mo-Su 8-12")).toEqual(each("08:00-12:00"));
  expect(week("Mo-Su 10:00-11:30")).toEqual(each("10:00-11:30"));
  expect(week("Mo-Su 9am-5pm")).toEqual(each("09:00-17:00"));
  expect(week("Mo-Su 9am-9pm")).toEqual(each("09:00-21:00"));
  expect(week("Mo-Su 18-2")).toEqual(each("18:00-02:00"));
  expect(week("Mo-Su 5-14")).toEqual(each("05:00-14:00"));
  expect(week("Mo-Su 9:00-17:30")).toEqual(each("09:00-17:30"));
  expect(week("Mo-Su 05:00-11:00")).toEqual(each("05:00-11:00"));
  expect(week("Mo-Su 11:00-02:00")).toEqual(each("11:00-02:00"));
  expect(week("Mo-Su 18:00-2:00")).toEqual(each("18:00-02:00"));
  expect(week("Mo-Su 9:00-9:45")).toEqual(each("09:00-09:45"));
  expect(week("Mo-Su 9:00-5:30pm")).toEqual(each("09:00-17:30"));
  expect(week("Mo-Su 9-5pm")).toEqual(each("09:00-17:00"));
  expect(week("Mo-Su 10-10 pm")).toEqual(each("10:00-22:00"));
  expect(week("Mo-Su 12-3pm")).toEqual(each("12:00-15:00"));
  expect(week("Mo-Su 6-11am")).toEqual(each("06:00-11:00"));
  expect(week("Mo-Su 9am-12")).toEqual(each("09:00-12:00"));
  expect(week("Mo-Su 09-5pm")).toEqual(each("09:00-17:00"));
  expect(week('Mo-Su 09:00-17:00; Jan 1,3-5 off; PH off "call 1-2-1"')).toEqual(
    each("09:00-17:00"),
  );
  expect(week("Mo-Su 09:00-17:00; Jan 1-2 off; Dec 24-26 off")).toEqual(each("09:00-17:00"));
});

test("a short closure and a year leave the normal week alone", () => {
  const expected = each("09:00-17:00");
  expect(week("Mo-Su 09:00-17:00; Jan 13-26 off")).toEqual(expected);
  expect(week("Mo-Su 09:00-17:00; Dec 25-25 off")).toEqual(expected);
  expect(week("Mo-Su 09:00-17:00; Aug 1-14 off")).toEqual(expected);
  expect(week("2023-2030 Mo-Su 09:00-17:00")).toEqual(expected);
  expect(week("Mo-Su 09:00-17:00; 2024 Apr 15-19 off")).toEqual(expected);
});

test("a night is not cut by the rule of the next day", () => {
  expect(week("Fr 20:00-03:00; Sa 20:00-04:00; Su off")).toEqual([
    ...each("closed", DAYS.slice(0, 4)),
    "FRI 20:00-03:00",
    "SAT 20:00-04:00",
    "SUN closed",
  ]);
});

test("a night goes with its evening when another rule replaces that", () => {
  expect(week("Mo-Su 18:00-02:00; Mo off")).toEqual([
    "MON closed",
    ...each("18:00-02:00", DAYS.slice(1)),
  ]);
  expect(week("12:00-01:00; Fr-Sa 20:00-26:00; Su 12:00-22:00")).toEqual([
    ...each("12:00-01:00", DAYS.slice(0, 4)),
    ...each("20:00-02:00", ["FRI", "SAT"]),
    "SUN 12:00-22:00",
  ]);
  expect(week("Mo-Su 20:00-30:00; We off")).toEqual(each("20:00-06:00").with(2, "WED closed"));
  expect(week("Mo-Su 17:00-02:00+; Tu 12:00-00:30")).toEqual([
    "MON 17:00-02:00",
    "TUE 12:00-00:30",
    ...each("17:00-02:00", DAYS.slice(2)),
  ]);
});

test("a night is kept whole when another rule has opened the place earlier that day", () => {
  const expected = [...each("17:00-01:00", DAYS.slice(0, 5)), "SAT 12:00-01:00", "SUN closed"];
  expect(week("Mo-Sa 17:00-01:00, Sa 12:00-17:00")).toEqual(expected);
});

test("spaces and semicolons before the first rule change nothing, and cost nothing", () => {
  for (let minute = 10; minute < 20; minute++) {
    const expected = each(`09:${minute}-17:00`, DAYS);
    expect(week(`${" ".repeat(100)}Mo-Su 09:${minute}-17:00`)).toEqual(expected);
    expect(week(`${"; ".repeat(50)}09:${minute}-17:00`)).toEqual(expected);
  }
  expect(week("; ".repeat(100))).toBeNull();
});

test("many open ends in one rule are not understood, and cost nothing", () => {
  const ends = Array.from({ length: 19 }, () => "08:00-09:00+");
  expect(readWeek(ends.join(","))).toBeNull();
  const days = ["Mo", "Tu", "We", "Th", "Fr", "Sa", "Su"].map((day) => `${day} 08:00-09:00+`);
  expect(week([...days, ...days].join("; "))).toEqual(each("08:00-09:00"));
});

test("text longer than OpenStreetMap can store is not read", () => {
  const long = `Mo-Fr 09:00-17:00${"; PH off".repeat(30)}`;
  expect(week(long.slice(0, 249))).not.toBeNull();
  expect(week(long)).toBeNull();
});

test("a fault that the library finds is not printed, but what is printed afterwards is", () => {
  using printed = spyOn(console, "error").mockImplementation(() => {});
  // The library knows no school holidays of England.
  expect(week("Mo 09:00-10:00 sh")).toBeNull();
  expect(printed).not.toHaveBeenCalled();
  console.error("heard");
  expect(printed).toHaveBeenCalledWith("heard");
});
