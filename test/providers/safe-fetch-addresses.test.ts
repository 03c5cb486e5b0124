// Addresses: which are open, closed and never, on both sides of each edge, and in every spelling that there is.
import { expect, test } from "bun:test";
import fc from "fast-check";
import { addressClassOf, hostnameOf, parseUrl, plainAddress } from "../../src/providers/safe-fetch/url-policy.ts";

const check = (text: string) => {
  const address = plainAddress(text);
  return address === null ? "no address" : addressClassOf(address);
};

/** Just below, first, last, just above. */
const edges: [string, string, string, string, string][] = [
  ["never", "-", "0.0.0.0", "0.255.255.255", "1.0.0.0"],
  ["closed", "9.255.255.255", "10.0.0.0", "10.255.255.255", "11.0.0.0"],
  ["closed", "100.63.255.255", "100.64.0.0", "100.127.255.255", "100.128.0.0"],
  ["closed", "126.255.255.255", "127.0.0.0", "127.255.255.255", "128.0.0.0"],
  ["never", "168.63.129.15", "168.63.129.16", "168.63.129.16", "168.63.129.17"],
  ["never", "169.253.255.255", "169.254.0.0", "169.254.255.255", "169.255.0.0"],
  ["closed", "172.15.255.255", "172.16.0.0", "172.31.255.255", "172.32.0.0"],
  ["never", "191.255.255.255", "192.0.0.0", "192.0.0.255", "192.0.1.0"],
  ["closed", "192.0.1.255", "192.0.2.0", "192.0.2.255", "192.0.3.0"],
  ["never", "192.88.98.255", "192.88.99.0", "192.88.99.255", "192.88.100.0"],
  ["closed", "192.167.255.255", "192.168.0.0", "192.168.255.255", "192.169.0.0"],
  ["closed", "198.17.255.255", "198.18.0.0", "198.19.255.255", "198.20.0.0"],
  ["closed", "198.51.99.255", "198.51.100.0", "198.51.100.255", "198.51.101.0"],
  ["closed", "203.0.112.255", "203.0.113.0", "203.0.113.255", "203.0.114.0"],
  ["never", "223.255.255.255", "224.0.0.0", "255.255.255.255", "-"],
  ["never", "-", "2001::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff", "2001:200::"],
  ["closed", "2001:db7:ffff::", "2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", "2001:db9::"],
  ["never", "2001:ffff::", "2002::", "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2003::"],
  ["closed", "3ffe:ffff::", "3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff", "3fff:1000::"],
];

test.each(edges)("%s: %s | %s to %s | %s", (standing, below, first, last, above) => {
  expect([check(first), check(last)]).toEqual([standing, standing]);
  for (const outside of [below, above]) if (outside !== "-") expect(check(outside)).toBe("open");
});

const special: [string, string][] = [
  ["::", "never"],
  ["::1", "closed"],
  ["::2", "never"],
  ["::127.0.0.1", "never"],
  ["::8.8.8.8", "never"],
  ["::ffff:127.0.0.1", "closed"],
  ["::ffff:7f00:1", "closed"],
  ["0:0:0:0:0:ffff:a9fe:a9fe", "never"],
  ["::ffff:10.1.2.3", "closed"],
  ["::ffff:8.8.8.8", "open"],
  ["::ffff:0:127.0.0.1", "never"],
  ["64:ff9b::127.0.0.1", "never"],
  ["64:ff9b::8.8.8.8", "never"],
  ["64:ff9b:1::1", "never"],
  ["100::1", "never"],
  ["1fff:ffff::", "never"],
  ["2000::", "open"],
  ["2606:4700:4700::1111", "open"],
  ["2001:0:7f00:1::", "never"],
  ["2002:7f00:1::", "never"],
  ["2002:808:808::", "never"],
  ["3fff:ffff::", "open"],
  ["4000::", "never"],
  ["5f00::1", "never"],
  ["fbff::1", "never"],
  ["fc00::", "closed"],
  ["fd12:3456::1", "closed"],
  ["fd00:ec2::254", "never"],
  ["fd20:ce::254", "never"],
  ["fd00:42::42", "never"],
  ["fe80::1", "never"],
  ["febf::1", "never"],
  ["fec0::1", "closed"],
  ["ff02::1", "never"],
  ["100.100.100.200", "never"],
  ["192.0.0.192", "never"],
  ["169.254.169.254", "never"],
  ["93.184.216.34", "open"],
  ["fe80::1%eth0", "no address"],
  ["2606:4700::1%1", "no address"],
  ["0177.0.0.1", "no address"],
  ["127.1", "no address"],
  ["2130706433", "no address"],
  ["1.2.3.4 ", "no address"],
  ["localhost", "no address"],
  ["", "no address"],
];

test.each(special)("%s is %s", (address, standing) => {
  expect(check(address)).toBe(standing);
});

const bits4 = (address: string): number => address.split(".").reduce((sum, byte) => sum * 256 + Number(byte), 0);
const text4 = (bits: number): string => [24, 16, 8, 0].map((shift) => (bits >>> shift) & 0xff).join(".");

/** The same ranges counted by hand, so that the built-in list is held to arithmetic. */
const guarded4: [number, number][] = edges
  .filter(([, , first]) => !first.includes(":"))
  .map(([, , first, last]) => [bits4(first), bits4(last)]);

const anyBits = fc.oneof(
  fc.integer({ min: 0, max: 0xffffffff }),
  fc.constantFrom(...guarded4).chain(([first, last]) => fc.integer({ min: first - 2, max: last + 2 })),
);
const everyBits = anyBits.map((bits) => bits >>> 0);

test("IPv4: what the list says is what arithmetic says", () => {
  fc.assert(
    fc.property(everyBits, (bits) => {
      const isGuarded = guarded4.some(([first, last]) => bits >= first && bits <= last);
      expect(check(text4(bits)) !== "open").toBe(isGuarded);
    }),
    { numRuns: 3_000 },
  );
});

const hex = (bits: number, letters: string): string => `${letters}${bits.toString(16)}`;
const octal = (bits: number, zeros: number): string => `${"0".repeat(zeros)}${bits.toString(8)}`;

/** One number of an address in any base; the last one may stand for several bytes. */
const numeral = (bits: number): fc.Arbitrary<string> =>
  fc.oneof(
    fc.constant(String(bits)),
    fc.constantFrom("0x", "0X", "0x0", "0x000").map((letters) => hex(bits, letters)),
    fc.integer({ min: 1, max: 4 }).map((zeros) => octal(bits, zeros)),
  );

const joined = (bits: number, parts: number): fc.Arbitrary<string> => {
  const leading = Array.from({ length: parts - 1 }, (_, index) => (bits >>> (24 - 8 * index)) & 0xff);
  const rest = bits % 2 ** (8 * (5 - parts));
  return fc.tuple(...[...leading, rest].map(numeral)).map((numerals) => numerals.join("."));
};

const dots = ["。", "．", "｡", "."];
const wide = (character: string): string =>
  /[0-9a-z]/i.test(character) ? String.fromCodePoint((character.codePointAt(0) ?? 0) + 0xfee0) : character;
const percent = (character: string): string => `%${character.charCodeAt(0).toString(16).padStart(2, "0")}`;

/** Each character as it is, wide, or behind a percent sign; each dot in any script; perhaps a dot at the end. */
const disguised = (host: string): fc.Arbitrary<string> =>
  fc
    .tuple(fc.array(fc.nat(9), { minLength: host.length, maxLength: host.length }), fc.boolean())
    .map(([dice, hasRoot]) => {
      const characters = [...host].map((character, index) => {
        const die = dice[index] ?? 0;
        if (character === ".") return dots[die % dots.length] ?? ".";
        return die === 0 ? wide(character) : die === 1 ? percent(character) : character;
      });
      return characters.join("") + (hasRoot ? "." : "");
    });

const spelling4 = everyBits.chain((bits) =>
  fc
    .integer({ min: 1, max: 4 })
    .chain((parts) => joined(bits, parts))
    .chain(disguised)
    .map((host) => ({ bits, host })),
);

test("IPv4: every spelling is checked as the address that it is", () => {
  fc.assert(
    fc.property(spelling4, ({ bits, host }) => {
      const place = parseUrl(`http://${host}/`, 2_048);
      expect(place).toMatchObject({ address: text4(bits), hostname: text4(bits) });
    }),
    { numRuns: 2_000 },
  );
});

/** Ways to put an IPv4 address into one of IPv6, and whether it is taken out again. */
const wrappings: [string, (high: string, low: string) => string, boolean][] = [
  ["mapped", (high, low) => `::ffff:${high}:${low}`, true],
  ["mapped at full length", (high, low) => `0:0:0:0:0:FFFF:${high}:${low}`, true],
  ["compatible", (high, low) => `::${high}:${low}`, false],
  ["translated", (high, low) => `::ffff:0:${high}:${low}`, false],
  ["NAT64", (high, low) => `64:ff9b::${high}:${low}`, false],
  ["local NAT64", (high, low) => `64:ff9b:1::${high}:${low}`, false],
  ["6to4", (high, low) => `2002:${high}:${low}::1`, false],
  ["Teredo", (high, low) => `2001:0:${high}:${low}::1`, false],
  ["Teredo, its client", (high, low) => `2001::${flipped(high)}:${flipped(low)}`, false],
  ["ISATAP on a link", (high, low) => `fe80::5efe:${high}:${low}`, false],
];

function flipped(group: string): string {
  return (Number.parseInt(group, 16) ^ 0xffff).toString(16);
}

test.each(wrappings)("IPv6: a private IPv4 address is not reached inside one: %s", (_, wrap, isUnwrapped) => {
  fc.assert(
    fc.property(everyBits, (bits) => {
      const text = wrap((bits >>> 16).toString(16), (bits & 0xffff).toString(16));
      expect(hostnameOf(new URL(`http://[${text}]/`))).not.toBeNull();
      // ::1 is itself before it is compatible with 0.0.0.1.
      if (isUnwrapped) expect(check(text)).toBe(check(text4(bits)));
      else expect(check(text)).toBe(plainAddress(text) === "::1" ? "closed" : "never");
    }),
    { numRuns: 500 },
  );
});

test("IPv6: only what was given out is open", () => {
  const group = fc.integer({ min: 0, max: 0xffff }).map((bits) => bits.toString(16));
  fc.assert(
    fc.property(fc.array(group, { minLength: 8, maxLength: 8 }), (groups) => {
      const isGiven = /^[23]...$/.test(groups[0]?.padStart(4, "0") ?? "");
      if (!isGiven) expect(check(groups.join(":"))).not.toBe("open");
    }),
  );
});
