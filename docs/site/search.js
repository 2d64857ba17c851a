// The search of the site: ranks the sections of all pages for a question. conf.py writes the pages to pages.js, as csi4jPages.
"use strict";

// What people call a thing elsewhere, and what these pages call it.
const OTHER_WORDS = {
  pod: "workload", container: "workload", task: "workload", pvc: "claim", host: "node", server: "node", machine: "node",
  driver: "plugin", mock: "fake", stub: "fake", simulate: "fake", mocking: "fake", died: "gone", dead: "gone", lost: "gone",
  crash: "kill", crashed: "kill", hang: "stuck", hung: "stuck", hanging: "stuck", stuck: "hang", resize: "expand", grow: "expand",
  bigger: "expand", remove: "delete", database: "postgresql", postgres: "postgresql", sql: "postgresql", jdbc: "postgresql",
  prometheus: "metric", grafana: "metric", monitoring: "metric", tracing: "trace", password: "secret", credential: "secret",
  error: "code", exception: "code", migrate: "move", rootless: "user", unprivileged: "user", share: "two", shared: "two", timeout: "deadline",
  several: "two three", readonly: "read-only", restore: "restored", backup: "snapshot", csi: "", csi4j: "",
};
const STOP = new Set("a an and any are as at be by can do does for from get has have how i if in into is it my of on or our so that the then there this to too use using want was what when where which who why will with without you your".split(" "));

// The parts of docs/README.md whose pages answer a question last, as they are records.
const WEIGHTS = { Learn: 1.1, Use: 1, Operate: 1, Reference: 0.8, Evidence: 0.4, "How it is made": 0.4 };

function words(text) {
  return (text.toLowerCase().match(/[a-z0-9]+(?:-[a-z0-9]+)*/g) || []).map((word) =>
    word.length < 4 || /ss$/.test(word) ? word
      : word.replace(/ies$/, "y").replace(/(ch|sh|x)es$/, "$1").replace(/s$/, "").replace(/(?<=...)(ing|ed)$/, "").replace(/(?<=..)e$/, ""));
}

function plain(markdown) {
  return markdown.replace(/<!--[^]*?-->|!\[[^\]]*\]\([^)]*\)|^```.*$|^\|[-:| ]+\|$/gm, " ").replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").replace(/[`*|#>]+/g, " ");
}

// One entry for each section of a page: page, title, heading, anchor, text, and how often each word stands in it.
function sections(pages) {
  const weights = {};
  for (const part of (pages["docs/README"] || "").split("\n## ").slice(1)) {
    const weight = WEIGHTS[part.slice(0, part.indexOf("\n"))];
    for (const [, page] of part.matchAll(/\]\(([^)#]+)\.md\)/g)) weights[new URL(page, "x:/docs/").pathname.slice(1)] ??= weight;
  }
  const all = [];
  for (const [page, markdown] of Object.entries(pages)) {
    if (page === "docs/README") continue;
    let title = "", inCode = false, section = null;
    for (const line of markdown.split("\n")) {
      if (/^\s*```/.test(line)) inCode = !inCode;
      const heading = inCode ? null : /^#{1,4} +(.*)/.exec(line);
      if (!heading) {
        if (section) section.text += line + "\n";
        continue;
      }
      const name = plain(heading[1]).trim();
      title ||= name;
      const anchor = heading[1].toLowerCase().replace(/[^\w\- ]/g, "").replace(/ /g, "-");
      section = { page, title, heading: name, anchor: name === title ? "" : anchor, text: "", weight: weights[page] ?? 0.5 };
      all.push(section);
    }
  }
  for (const section of all) {
    section.text = plain(section.text);
    section.counts = new Map();
    const spoken = words(section.text);
    section.length = spoken.length;
    for (const word of spoken) section.counts.set(word, (section.counts.get(word) || 0) + 1);
    section.names = new Set(words(section.heading));
    section.titles = new Set(words(section.title));
  }
  return all;
}

// The best section of each page that has a word of the question, best first.
function rank(all, question) {
  const asked = question.toLowerCase().match(/[a-z0-9]+(?:-[a-z0-9]+)*/g) || [];
  const terms = asked.filter((word) => !STOP.has(word)).map((word) => {
    const other = OTHER_WORDS[word] ?? OTHER_WORDS[word.replace(/s$/, "")];
    return { words: [...new Set([...words(word), ...words(other || "")])], isCommon: other === "" };
  });
  const length = all.reduce((sum, section) => sum + section.length, 0) / all.length;
  const best = new Map();
  for (const term of terms) {
    const having = all.filter((section) => term.words.some((word) => section.counts.has(word) || section.names.has(word)));
    term.rarity = (term.isCommon ? 0.1 : 1) * Math.log(1 + all.length / (1 + having.length));
  }
  for (const section of all) {
    let score = 0, met = 0;
    for (const term of terms) {
      const times = term.words.reduce((sum, word, at) => sum + (section.counts.get(word) || 0) * (at ? 0.6 : 1), 0);
      const named = Math.max(...term.words.map((word, at) => ((section.names.has(word) ? 2 : 0) + (section.titles.has(word) ? 1.5 : 0)) * (at ? 0.7 : 1)));
      const often = times / (times + 0.8 * (0.4 + (0.6 * section.length) / length));
      score += term.rarity * (often + named);
      if (times + named > 0) met += 1;
    }
    score *= section.weight * (met / terms.length) ** 2;
    const page = best.get(section.page) || { score: 0, sum: 0 };
    best.set(section.page, { ...(score > page.score ? { section, score } : page), sum: page.sum + score });
  }
  // A page with many such sections is about the question.
  const value = ({ score, sum }) => score + 0.1 * Math.min(sum, 5 * score);
  return [...best.values()].filter(({ score }) => score > 0).sort((one, other) => value(other) - value(one)).map(({ section }) => section);
}

if (typeof document !== "undefined") {
  // Registered before the handler by which Sphinx begins to search.
  document.addEventListener("DOMContentLoaded", () => {
    Search.query = (question) => {
      const found = rank(sections(csi4jPages), question).slice(0, 15);
      Search.stopPulse?.();
      Search.title.textContent = found.length ? "Pages, best first" : "No page has these words";
      Search.status.textContent = "";
      for (const { page, title, heading, anchor, text } of found) {
        const link = Object.assign(document.createElement("a"), {
          href: `${page}.html${anchor && "#" + anchor}`,
          textContent: heading === title ? title : `${title}: ${heading}`,
        });
        const excerpt = Object.assign(document.createElement("p"), { className: "context", textContent: text.trim().slice(0, 200) + " …" });
        const item = document.createElement("li");
        item.append(link, excerpt);
        Search.output.append(item);
      }
    };
  });
} else {
  module.exports = { sections, rank };
}
