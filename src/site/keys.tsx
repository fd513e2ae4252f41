import type { IssuedKey, KeyRecord } from "../access/keys.ts";
import type { UsageReport } from "../access/usage-report.ts";
import { grouped } from "../numbers.ts";
import { writtenTime } from "../times.ts";
import { gracePeriods } from "./application-actions.ts";
import { Code } from "./code.tsx";
import { unmarked } from "./unmarked.ts";

/**
 * A key, in the only answer that ever contains it.
 * @param hasFocus whether a screen reader starts here, since nothing above mentions the key
 */
export function NewKey({
  issued: { key },
  baseUrl,
  hasFocus,
}: {
  issued: IssuedKey;
  baseUrl: string;
  hasFocus: boolean;
}) {
  return (
    <section class="card">
      <h2 tabindex={-1} autofocus={hasFocus}>
        Your new key
      </h2>
      <p>
        <strong>Copy it now.</strong> It will not be shown again, and nobody can look it up for you.
      </p>
      <Code id="key" label="API key" code={key} />
      <Code
        id="key-call"
        label="A call with your key"
        code={`curl '${baseUrl}/api/v1/search?q=plumber+in+leeds' \\
  -H 'Authorization: Bearer ${key}'`}
      />
    </section>
  );
}

/** How much of this month's quota is used, as a bar and in words. */
export function Usage({
  usage: { used, quota, tier, perMinute, resetsAt },
}: {
  usage: UsageReport;
}) {
  return (
    <section>
      <h2 id="usage">This month</h2>
      <p>
        <meter
          aria-labelledby="usage"
          min={0}
          max={quota}
          value={Math.min(used, quota)}
          high={quota * 0.9}
        >
          {used} of {quota}
        </meter>
        {grouped(used)} of {grouped(quota)} requests used; resets on{" "}
        {writtenTime(new Date(resetsAt))}. Tier {tier}: {grouped(perMinute)} requests a minute.
      </p>
    </section>
  );
}

/** All keys, with the actions for each. */
export function KeyList({ keys }: { keys: readonly KeyRecord[] }) {
  const [newest] = keys;
  return (
    <section>
      <h2>{keys.length === 1 ? "Key" : "Keys"}</h2>
      <ul class="cards" {...unmarked}>
        {keys.map((key, place) => (
          <li key={key.id}>
            <h3>
              <code>{key.hint}…</code>
            </h3>
            <p>
              {describe(key)} Tier {key.tier}.
            </p>
            {key.state === "active" && (
              <div class="actions">
                {place === 0 && <RollForm id={key.id} />}
                <RevokeForm id={key.id} hint={key.hint} />
              </div>
            )}
          </li>
        ))}
      </ul>
      {newest?.state === "active" ? (
        <p class="small">
          Roll a key to replace it with a new one on the same quota. If someone else may have it,
          roll it with the grace period “none”. Revoke it when you no longer need a key: after that
          you can only <a href="/developers#apply">apply again</a>.
        </p>
      ) : (
        <p>
          To get another key, <a href="/developers#apply">apply again</a>.
        </p>
      )}
    </section>
  );
}

function RollForm({ id }: { id: string }) {
  return (
    <form method="post" class="actions">
      <input type="hidden" name="key" value={id} />
      <div>
        <label for="grace">Grace period for the old key</label>
        <select id="grace" name="grace">
          {gracePeriods.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      </div>
      <button type="submit" name="action" value="roll" class="quiet">
        Roll
      </button>
    </form>
  );
}

/** The button is behind a summary, as a confirmation without a script: revoking cannot be undone. */
function RevokeForm({ id, hint }: { id: string; hint: string }) {
  return (
    <details>
      <summary>
        Revoke<span class="unseen"> {hint}</span>…
      </summary>
      <form method="post" class="actions">
        <input type="hidden" name="key" value={id} />
        <span>It stops working at once, for good.</span>
        <button type="submit" name="action" value="revoke" class="danger">
          Revoke {hint}…
        </button>
      </form>
    </details>
  );
}

function describe({ expiresAt, revokedAt, state }: KeyRecord): string {
  if (revokedAt) return `Revoked on ${writtenTime(revokedAt)}.`;
  if (!expiresAt) return "Active, does not expire.";
  return state === "expired"
    ? `Expired on ${writtenTime(expiresAt)}.`
    : `Active until ${writtenTime(expiresAt)}.`;
}
