import { Counter, Gauge, type Histogram, Registry } from "prom-client";
import packageJson from "../package.json" with { type: "json" };
import type { Admission } from "./access/admission.ts";
import type { AnswerCounts } from "./answer-counts.ts";
import type { Upkeep } from "./store/upkeep.ts";

/** The background tasks of a process, by their names in the metric. */
export type UpkeepTasks = Record<string, Pick<Upkeep, "isFailing">>;

/**
 * The metrics of a server process, read on each scrape. Few of prom-client's default metrics mean anything
 * under Bun, and its event loop monitor costs time: those few are collected here, under the same names.
 * https://prometheus.io/docs/instrumenting/writing_clientlibs/#process-metrics
 */
export function createMetrics(
  admission: Admission,
  upkeep: UpkeepTasks,
  answers: AnswerCounts,
): Registry {
  const registry = new Registry();
  const registers = [registry];

  new Gauge({
    name: "highstreet_admission_local",
    help: "1 while Redis is down or slow and a process of this server decides by itself.",
    registers,
    aggregator: "max",
    collect() {
      this.set(admission.state().isLocal ? 1 : 0);
    },
  });
  total(
    "highstreet_admission_outages_total",
    "Times that Redis went down or was too slow.",
    () => admission.state().outages,
  );
  new Counter({
    name: "highstreet_refusals_total",
    help: "Requests refused with 429, by the limit: of open access, or of a key per minute or per month.",
    labelNames: ["limit"],
    registers,
    collect() {
      this.reset();
      for (const [limit, count] of Object.entries(admission.refusals())) this.inc({ limit }, count);
    },
  });
  new Gauge({
    name: "highstreet_upkeep_failing",
    help: "1 while a background task fails and is retried.",
    labelNames: ["task"],
    registers,
    aggregator: "max",
    collect() {
      // Only the tasks of this process: a 0 for the others would hide that nobody runs them.
      for (const [task, { isFailing }] of Object.entries(upkeep)) {
        this.set({ task }, isFailing() ? 1 : 0);
      }
    },
  });
  new Counter({
    name: "highstreet_http_requests_total",
    help: "Requests answered, by route and status; the route `*` stands for all unknown paths.",
    labelNames: ["route", "status"],
    registers,
    collect() {
      this.reset();
      for (const [route, { byStatus }] of answers) {
        for (const [status, count] of byStatus) this.inc({ route, status }, count);
      }
    },
  });
  durations(
    "highstreet_http_request_duration_seconds",
    "Seconds until an answer could be sent, by route.",
  );
  new Gauge({
    name: "highstreet_processes",
    help: "Processes that are serving.",
    registers,
  }).set(1);
  new Gauge({
    name: "highstreet_build_info",
    help: "Always 1; the labels are the versions that run.",
    labelNames: ["version", "bun"],
    registers,
    aggregator: "first",
  }).set({ version: packageJson.version, bun: Bun.version }, 1);

  total("process_cpu_seconds_total", "User and system CPU time.", () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000_000;
  });
  new Gauge({
    name: "process_resident_memory_bytes",
    help: "Resident memory.",
    registers,
    collect() {
      this.set(process.memoryUsage.rss());
    },
  });
  new Gauge({
    name: "process_start_time_seconds",
    help: "When the oldest process began, in seconds since 1970.",
    registers,
    aggregator: "min",
  }).set(performance.timeOrigin / 1000);
  return registry;

  /** A counter of what is counted elsewhere. */
  function total(name: string, help: string, read: () => number): void {
    new Counter({
      name,
      help,
      registers,
      collect() {
        this.reset();
        this.inc(read());
      },
    });
  }

  /** A histogram, registered as the library registers what it has added up: as an object with `get`. */
  function durations(name: string, help: string): void {
    const get = () => {
      const used = [...answers].filter(([, { byStatus }]) => byStatus.size > 0);
      const values = used.flatMap(([route, counts]) => counts.samples(name, route));
      return { name, help, type: "histogram", aggregator: "sum", values };
    };
    registry.registerMetric({ name, get } as unknown as Histogram);
  }
}
