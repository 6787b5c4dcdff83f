/* Names and focus for readers with a keyboard or a screen reader, where the theme gives none. The theme adds parts after the page has
 * loaded, so that each change of the page is looked at. */
const named = new WeakSet();
const counts = new Map();
const name_parts = () => {
    document.querySelector(".md-search")?.setAttribute("aria-label", "Search");
    /* Landmarks have different names. */
    for (const nav of document.querySelectorAll("nav")) {
        if (named.has(nav)) continue;
        named.add(nav);
        const label = document.getElementById(nav.getAttribute("aria-labelledby"))?.textContent.trim();
        const name = label || nav.getAttribute("aria-label") || "Code";
        counts.set(name, (counts.get(name) ?? 0) + 1);
        if (counts.get(name) === 1 && (label || nav.hasAttribute("aria-label"))) continue;
        nav.removeAttribute("aria-labelledby");
        nav.setAttribute("aria-label", `${name} ${counts.get(name)}`);
    }
    /* A block that scrolls can be reached by the keyboard. */
    for (const block of document.querySelectorAll("pre > code, .md-typeset__scrollwrap"))
        if (block.scrollWidth > block.clientWidth) block.tabIndex = 0;
};
name_parts();
new MutationObserver(name_parts).observe(document.body, {childList: true, subtree: true});

/* A copied console block is its commands: without prompts and output, so that a shell takes it as it is. */
document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-clipboard-target]");
    if (button === null) return;
    const lines = document.querySelector(button.dataset.clipboardTarget).textContent.split("\n");
    if (!lines[0].startsWith("$ ")) return;
    const commands = lines.filter((line) => /^[$>] /.test(line)).map((line) => line.slice(2));
    button.dataset.clipboardText = commands.join("\n") + "\n";
}, true);
