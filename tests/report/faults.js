/* What is wrong with the page as it is shown now: a list of sentences, empty when all is well. */
(() => {
    const faults = [];
    const all = (selector) => [...document.querySelectorAll(selector)];
    const need = (is_so, fault) => { if (!is_so) faults.push(fault); };
    const name = (node) => node.tagName.toLowerCase() + (node.id ? "#" + node.id : "") +
        " '" + node.textContent.trim().slice(0, 40) + "'";

    /* Self-contained and inert. */
    need(document.scripts.length === 0, "there is a script");
    need(all("link,iframe,object,embed,video,audio,form,base").length === 0,
         "there is an element that fetches or sends");
    for (const node of all("*")) {
        const is_own = (value) => value.startsWith("#") ||
            (node.tagName === "IMG" && value.startsWith("data:image/png;base64,"));
        for (const attribute of node.attributes) {
            need(!attribute.name.startsWith("on"), "a handler on " + name(node));
            if (["href", "src", "srcset", "xlink:href", "action"].includes(attribute.name))
                need(is_own(attribute.value), "an address at " + name(node));
        }
    }
    need(!all("style").some((style) => /url\(|@import/.test(style.textContent)),
         "the style fetches something");

    /* Structure for those who do not see it. */
    need(document.documentElement.lang === "en", "no language");
    need(document.title.length > 10, "no title");
    for (const landmark of ["header", "nav[aria-label]", "main", "footer", "h1"])
        need(all(landmark).length === 1, all(landmark).length + " of " + landmark);
    let before = 0;
    for (const heading of all("h1,h2,h3,h4")) {
        const level = Number(heading.tagName[1]);
        need(level <= before + 1, "a level is skipped at " + name(heading));
        need(heading.textContent.trim() !== "", "an empty heading");
        before = level;
    }
    const ids = all("[id]").map((node) => node.id);
    need(new Set(ids).size === ids.length, "an id is used twice");
    for (const node of all("[aria-labelledby]"))
        for (const id of node.getAttribute("aria-labelledby").split(" "))
            need(document.getElementById(id)?.textContent.trim(), "no label " + id);
    for (const section of all("main > section"))
        need(section.hasAttribute("aria-labelledby"), "a section without a label");
    for (const link of all("a"))
        need(document.getElementById(link.getAttribute("href").slice(1)), "a dead " + name(link));
    for (const link of all("nav a")) {
        const title = document.getElementById(link.getAttribute("href").slice(1))?.textContent;
        need(link.textContent === title, "the contents call '" + title + "' " + name(link));
    }
    for (const table of all("table")) {
        need(table.caption?.textContent.trim(), "a table without a caption");
        for (const cell of table.querySelectorAll("th"))
            need(cell.scope === "col" || cell.scope === "row", "no scope at " + name(cell));
        const widths = new Set([...table.rows].map((row) => row.cells.length));
        need(widths.size === 1, "rows of different lengths: " + table.caption?.textContent);
    }
    for (const svg of all("svg")) {
        if (svg.getAttribute("aria-hidden") === "true") continue;
        need(svg.getAttribute("role") === "img" && svg.querySelector("title") &&
             svg.querySelector("desc")?.textContent.length > 20 &&
             svg.hasAttribute("aria-labelledby"), "a picture without words");
    }

    for (const image of all("img"))
        need(image.complete && image.naturalWidth > 0 && image.alt !== "",
             "an image that does not show, or has no words");

    /* It fits. */
    const wide = document.documentElement.clientWidth;
    need(document.documentElement.scrollWidth <= wide, "wider than the window: " +
         document.documentElement.scrollWidth + " > " + wide);
    for (const box of all("main *")) {
        if (box.closest("svg") || box.closest(".unseen")) continue;
        const scroller = box.closest(".wide");
        const edge = box.getBoundingClientRect();
        if (edge.right > wide + 1 && (!scroller || scroller === box)) faults.push(
            "beyond the edge: " + name(box));
    }
    for (const box of all(".wide"))
        need(box.tabIndex === 0 && box.getAttribute("aria-label"), "a box out of reach");
    for (const svg of all("figure svg")) {
        const frame = svg.getBoundingClientRect();
        const texts = [...svg.querySelectorAll("text")].map((text) =>
            [text.textContent, text.getBoundingClientRect()]);
        const scale = frame.width / svg.viewBox.baseVal.width;
        for (const [words, box] of texts) {
            need(box.left >= frame.left - 1 && box.right <= frame.right + 1 &&
                 box.top >= frame.top - 1 && box.bottom <= frame.bottom + 1,
                 "cut off in " + svg.querySelector("title").textContent + ": " + words);
        }
        for (const text of svg.querySelectorAll("text"))
            need(parseFloat(getComputedStyle(text).fontSize) * scale >= 9,
                 "too small to read: " + text.textContent);
        texts.forEach(([words, box], i) => texts.slice(i + 1).forEach(([others, other]) => {
            const across = Math.min(box.right, other.right) - Math.max(box.left, other.left);
            const down = Math.min(box.bottom, other.bottom) - Math.max(box.top, other.top);
            need(across < 1 || down < 3, "one on the other in " +
                 svg.querySelector("title").textContent + ": " + words + " / " + others);
        }));
    }
    if (matchMedia("screen").matches)
        for (const link of all("nav a"))
            need(link.getBoundingClientRect().height >= 24, "hard to hit: " + name(link));

    /* It can be read: WCAG 2, contrast of text. */
    const parse = (colour) => {
        const numbers = colour.match(/[\d.]+/g).map(Number);
        return numbers.length === 3 ? [...numbers, 1] : numbers;
    };
    const over = (top, below) => [0, 1, 2].map((i) => top[i] * top[3] + below[i] * (1 - top[3]));
    const behind = (node) => {
        if (node === null) return [255, 255, 255];
        return over(parse(getComputedStyle(node).backgroundColor), behind(node.parentElement));
    };
    const light = (colour) => {
        const [red, green, blue] = colour.slice(0, 3).map((part) => part / 255).map((part) =>
            part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    };
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        const node = walker.currentNode.parentElement;
        if (walker.currentNode.textContent.trim() === "" || node.closest("title,desc")) continue;
        const style = getComputedStyle(node);
        const ground = behind(node);
        const ink = over(parse(node.closest("svg") ? style.fill : style.color), ground);
        const [low, high] = [light(ink), light(ground)].sort((a, b) => a - b);
        const contrast = (high + 0.05) / (low + 0.05);
        need(contrast >= 4.5, "contrast " + contrast.toFixed(2) + " at " + name(node));
    }
    return [...new Set(faults)];
})()
