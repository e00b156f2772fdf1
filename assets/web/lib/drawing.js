// Draws the mind graph with Cytoscape: keeps places when something changes, and takes its colours from the style sheet.

const PADDING = 30;
const SETTLING = { name: "cose", animate: false, nodeRepulsion: 26000, nodeOverlap: 18, nodeDimensionsIncludeLabels: true, idealEdgeLength: 96, edgeElasticity: 90, gravity: 0.5, fit: false };
const LETTERS = 11; // pixels on the screen, however far away the picture is
const LARGEST_LETTERS = 26; // in the picture: more would hide it
const LARGEST_OF_NAMED = 120; // the same, of the nodes that much hangs on: they are named from far away
const PIXELS_A_NAME = 45; // of the picture's width, for each that is named from far away
const PAIRS = 4_000_000; // that a layout may look at, in all its steps: it holds up the page
const [FEWEST_STEPS, MOST_STEPS] = [40, 1_000];
const MOST_SETTLED = 600; // nodes that pull at each other: each step looks at all pairs
const RINGS = { name: "concentric", animate: false, fit: false, minNodeSpacing: 14, concentric: (node) => Math.log2(1 + node.degree()), levelWidth: () => 1 };
const GAP = 50;
const LARGEST_ZOOM = 1.5; // by itself
const SPOTS = 24; // newcomers start around what they hang on

/** → {show(graph), select(id), paint(), fit(), end()}; `clicked(id)` for a node, an edge, or null for the ground; `named(id)`: a node's label, `labelled(edge)` an edge's. */
export async function drawing(element, { clicked, named, labelled }) {
  const { default: cytoscape } = await import("../vendor/cytoscape.js");
  const cy = cytoscape({ container: element, minZoom: 0.03, maxZoom: 4, style: styles(element), autounselectify: true });
  cy.on("tap", (event) => clicked(event.target === cy ? null : event.target.id()));
  cy.on("mouseover", "node, edge", () => (element.style.cursor = "pointer"));
  cy.on("mouseout", "node, edge", () => (element.style.cursor = ""));
  const letters = (largest) => Math.min(largest, Math.max(7, LETTERS / cy.zoom()));
  const write = () => cy.style().selector("node").style("font-size", letters(LARGEST_LETTERS)).selector("node.named").style("font-size", letters(LARGEST_OF_NAMED)).update();
  cy.on("zoom", write);
  let isHeld = false; // somebody has moved the picture: it stays as it is
  cy.on("dragpan pinchzoom scrollzoom", () => (isHeld = true));
  const shape = new ResizeObserver(() => (cy.resize(), isHeld || (cy.fit(undefined, PADDING), calm())));
  shape.observe(element);

  function show({ nodes, edges }) {
    const wanted = new Map();
    for (const each of nodes.values()) wanted.set(each.id, { group: "nodes", data: { ...nodeData(each), label: cut(named(each.id)) } });
    for (const each of edges.values()) if (nodes.has(each.source) && nodes.has(each.target)) wanted.set(each.id, { group: "edges", data: edgeData(each, labelled) });
    const added = new Set();
    cy.batch(() => {
      cy.elements().filter((each) => !wanted.has(each.id())).remove();
      for (const [id, each] of wanted) {
        const there = cy.getElementById(id);
        if (there.length) there.data(each.data);
        else if (cy.add(each)) added.add(id);
      }
    });
    if (!added.size) return;
    const byEdges = cy.nodes().removeClass("named").sort((a, b) => b.degree() - a.degree());
    byEdges.filter("[kind != 'Scene']").slice(0, Math.round(cy.width() / PIXELS_A_NAME)).union(cy.nodes("[kind = 'User']")).addClass("named");
    settle(cy, added);
    if (!isHeld) cy.fit(undefined, PADDING);
    calm();
  }

  /** A few nodes need not fill the whole picture. */
  function calm() {
    if (cy.zoom() > LARGEST_ZOOM) {
      cy.zoom(LARGEST_ZOOM);
      cy.center();
    }
    write();
  }

  return {
    show,
    select(id) {
      cy.elements().removeClass("chosen dimmed");
      const chosen = id ? cy.getElementById(id) : cy.collection();
      if (!chosen.length) return;
      const near = chosen.isNode() ? chosen.closedNeighborhood() : chosen.union(chosen.connectedNodes());
      cy.elements().difference(near).addClass("dimmed");
      chosen.addClass("chosen");
    },
    paint: () => (cy.style(styles(element)), write()),
    fit: () => ((isHeld = false), cy.animate({ fit: { padding: PADDING } }, { duration: 200 })),
    end() {
      shape.disconnect();
      cy.destroy();
    },
  };
}

/** Finds places for what was added: what hangs together is laid out by itself, which takes far less time than all at once. */
function settle(cy, added) {
  const fresh = [];
  const edge = cy.nodes().filter((node) => !added.has(node.id())).boundingBox();
  for (const part of cy.elements().components()) {
    const nodes = part.nodes();
    const newcomers = nodes.filter((node) => added.has(node.id()));
    if (!newcomers.length) continue;
    const isFresh = newcomers.length === nodes.length;
    if (!isFresh) placeNewcomers(newcomers);
    const numIter = Math.max(FEWEST_STEPS, Math.min(MOST_STEPS, Math.round(PAIRS / nodes.length ** 2)));
    const isMany = nodes.length > MOST_SETTLED;
    if (nodes.length > 1 && (isFresh || !isMany)) part.layout(isMany ? RINGS : { ...SETTLING, numIter, randomize: isFresh }).run();
    if (isFresh) fresh.push(part);
  }
  shelve(fresh, edge.w ? edge : null, cy.width() / Math.max(1, cy.height()));
}

/** Puts parts that hang on nothing else beside each other, in rows, below what is there. */
function shelve(parts, there, shape) {
  const boxes = parts.map((part) => ({ part, box: part.boundingBox() })).sort((a, b) => hasOwner(b.part) - hasOwner(a.part) || b.box.h - a.box.h);
  const area = boxes.reduce((sum, { box }) => sum + (box.w + GAP) * (box.h + GAP), 0);
  const width = Math.max(there?.w ?? 0, Math.sqrt(area * shape), ...boxes.map(({ box }) => box.w));
  const left = there?.x1 ?? 0;
  let [x, y, tallest] = [left, there ? there.y2 + GAP : 0, 0];
  for (const { part, box } of boxes) {
    if (x > left && x + box.w > left + width) [x, y, tallest] = [left, y + tallest + GAP, 0];
    part.nodes().shift({ x: x - box.x1, y: y - box.y1 });
    x += box.w + GAP;
    tallest = Math.max(tallest, box.h);
  }
}

const hasOwner = (part) => part.nodes("[kind = 'User']").length;

function placeNewcomers(newcomers) {
  newcomers.forEach((node, n) => {
    const friend = node.neighborhood("node").difference(newcomers).first();
    const at = friend.length ? friend.position() : newcomers.neighborhood("node").difference(newcomers).first().position();
    const angle = (2 * Math.PI * (n % SPOTS)) / SPOTS;
    const far = 60 + 20 * Math.floor(n / SPOTS);
    node.position({ x: at.x + far * Math.cos(angle), y: at.y + far * Math.sin(angle) });
  });
}

const cut = (text, most = 26) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

function nodeData(each) {
  return { id: each.id, kind: each.kind, size: 14 + 5 * Math.sqrt(Math.min(each.degree ?? 1, 60)) };
}

function edgeData(each, labelled) {
  return { id: each.id, source: each.source, target: each.target, predicate: each.predicate, label: labelled(each), isLess: each.label === "less", width: 1 + 3 * (each.strength ?? 0.5) };
}

function styles(element) {
  const of = getComputedStyle(element);
  const colour = (name) => of.getPropertyValue(name).trim();
  const predicates = { PREFERS: "--good", DISLIKES: "--bad", CARES_ABOUT: "--wait", RELATES_TO: "--accent", CAUSED_BY: "--rote", MENTIONED: "--line-strong" };
  return [
    { selector: "node", style: { label: "data(label)", width: "data(size)", height: "data(size)", "background-color": colour("--accent"), color: colour("--text"), "font-size": LETTERS, "font-family": of.fontFamily,
      "text-wrap": "wrap", "text-max-width": 110, "text-valign": "bottom", "text-margin-y": 4, "text-outline-width": 2, "text-outline-color": colour("--ground"), "min-zoomed-font-size": 7 } },
    { selector: "node[kind = 'User']", style: { "background-color": colour("--wait"), "font-weight": "bold" } },
    { selector: "node[kind = 'Agent']", style: { "background-color": colour("--rote") } },
    { selector: "node[kind = 'Scene']", style: { shape: "round-rectangle", "background-color": colour("--line-strong") } },
    { selector: "edge", style: { width: "data(width)", "line-color": colour("--line-strong"), "target-arrow-color": colour("--line-strong"), "target-arrow-shape": "triangle", "arrow-scale": 0.8, "curve-style": "bezier", opacity: 0.8,
      label: "data(label)", "font-size": 9, color: colour("--dim"), "text-rotation": "autorotate", "text-outline-width": 2, "text-outline-color": colour("--ground"), "min-zoomed-font-size": 7 } },
    ...Object.entries(predicates).map(([name, variable]) => ({ selector: `edge[predicate = '${name}']`, style: { "line-color": colour(variable), "target-arrow-color": colour(variable) } })),
    { selector: "edge[?isLess]", style: { "line-style": "dashed", opacity: 0.6 } },
    { selector: ".dimmed", style: { opacity: 0.18 } },
    { selector: "node.chosen", style: { "border-width": 3, "border-color": colour("--text") } },
    { selector: "edge.chosen", style: { opacity: 1, width: 5 } },
  ];
}
