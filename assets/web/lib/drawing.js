// Draws the mind graph with Cytoscape: keeps places when something changes, and takes its colours from the style sheet.

const SETTLING = { name: "cose", animate: false, nodeRepulsion: 26000, nodeOverlap: 18, nodeDimensionsIncludeLabels: true, idealEdgeLength: 96, edgeElasticity: 90, gravity: 0.5, componentSpacing: 70, numIter: 1500, padding: 30 };
const LETTERS = 11; // pixels on the screen, however far away the picture is
const LARGEST_LETTERS = 26; // in the picture: more would hide it
const LARGEST_ZOOM = 1.5; // by itself
const SPOTS = 24; // newcomers start around what they hang on

/** → {show(graph), select(id), paint(), fit(), end()}; `clicked(id)` for a node, an edge, or null for the ground; `named(id)`: a node's label, `labelled(edge)` an edge's. */
export async function drawing(element, { clicked, named, labelled }) {
  const { default: cytoscape } = await import("../vendor/cytoscape.js");
  const cy = cytoscape({ container: element, minZoom: 0.15, maxZoom: 4, style: styles(element), autounselectify: true });
  cy.on("tap", (event) => clicked(event.target === cy ? null : event.target.id()));
  cy.on("mouseover", "node, edge", () => (element.style.cursor = "pointer"));
  cy.on("mouseout", "node, edge", () => (element.style.cursor = ""));
  const write = () => cy.style().selector("node").style("font-size", Math.min(LARGEST_LETTERS, Math.max(7, LETTERS / cy.zoom()))).update();
  cy.on("zoom", write);
  const shape = new ResizeObserver(() => cy.resize());
  shape.observe(element);

  function show({ nodes, edges }) {
    const wanted = new Map();
    for (const each of nodes.values()) wanted.set(each.id, { group: "nodes", data: { ...nodeData(each), label: cut(named(each.id)) } });
    for (const each of edges.values()) if (nodes.has(each.source) && nodes.has(each.target)) wanted.set(each.id, { group: "edges", data: edgeData(each, labelled) });
    const before = cy.nodes().length;
    let isNew = false;
    cy.batch(() => {
      cy.elements().filter((each) => !wanted.has(each.id())).remove();
      for (const [id, each] of wanted) {
        const there = cy.getElementById(id);
        if (there.length) there.data(each.data);
        else if (cy.add(each)) isNew = true;
      }
    });
    if (!isNew) return;
    if (before) placeNewcomers(cy);
    cy.layout({ ...SETTLING, randomize: !before, fit: true }).run();
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
    fit: () => cy.animate({ fit: { padding: 30 } }, { duration: 200 }),
    end() {
      shape.disconnect();
      cy.destroy();
    },
  };
}

function placeNewcomers(cy) {
  cy.nodes().forEach((node, n) => {
    const { x, y } = node.position();
    if (x || y) return;
    const friend = node.neighborhood("node").filter((each) => each.position().x || each.position().y).first();
    const at = friend.length ? friend.position() : { x: 0, y: 0 };
    const angle = (2 * Math.PI * (n % SPOTS)) / SPOTS;
    node.position({ x: at.x + 60 * Math.cos(angle), y: at.y + 60 * Math.sin(angle) });
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
