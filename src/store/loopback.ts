/*
 * Imported for its effect: requests to this machine go straight there. Where the environment names a proxy, Bun
 * would send it these as well, with the key of Meilisearch, and to a proxy elsewhere this machine is another.
 */
const { NO_PROXY, no_proxy } = process.env;
const others = no_proxy || NO_PROXY;
const ours = "localhost,127.0.0.1,::1";
process.env.no_proxy = others ? `${others},${ours}` : ours;
