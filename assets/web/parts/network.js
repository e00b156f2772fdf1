// What the scripts of a run asked of the network: host by host, what was let through, and how much went each way.
import { html } from "../lib/html.js";
import { get, part } from "../lib/api.js";
import { useFetched } from "../lib/use.js";
import { bytes, say, sayOr, when } from "../lib/words.js";
import { chip, instead } from "./bits.js";

const TONES = { open: "ok", closed: "done", refused: "refused", failed: "failed" };

export const Network = {
  props: { run: String },
  setup(props) {
    const all = useFetched(() => get(`/api/runs/${part(props.run)}/network`), { kinds: (message) => message.run === props.run && message.type === "tool_ended" });
    return () => instead(all, !all.data?.network.length, say("network.none")) ?? html`<div class="card framed" tabindex="0" role="region" aria-label=${say("run.tab.network")}><table>
      <thead><tr>${["host", "state", "address", "sent", "received", "at"].map((each) => html`<th key=${each}>${say(`network.${each}`)}</th>`)}</tr></thead>
      <tbody>${all.data.network.map((row, n) => html`<tr key=${n}><th scope="row" class="mono">${row.host}:${row.port}</th>
        <td>${chip(TONES[row.state] ?? row.state, sayOr(`network.is.${row.state}`, row.state))}</td><td class="mono">${row.address || row.why || ""}</td>
        <td class="number">${row.up === undefined ? "" : bytes(row.up)}</td><td class="number">${row.down === undefined ? "" : bytes(row.down)}</td><td>${when(row.at)}</td></tr>`)}</tbody></table></div>`;
  },
};
