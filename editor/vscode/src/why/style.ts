/** The stylesheet of the why panel. It uses the colours and fonts of the current theme. */

export const STYLE = `
body { color: var(--vscode-foreground); font: var(--vscode-font-weight) var(--vscode-font-size)/1.5 var(--vscode-font-family); max-width: 64em; padding: 0.5em 1.5em 2em; }
h1 { font-size: 1.5em; font-weight: 600; margin: 0.2em 0 0; overflow-wrap: anywhere; }
h2 { border-bottom: 1px solid var(--vscode-widget-border, var(--vscode-panel-border)); font-size: 1.05em; font-weight: 600; margin: 1.8em 0 0.5em; padding-bottom: 0.2em; }
p { margin: 0.2em 0; overflow-wrap: anywhere; }
.asked::before { content: "\\201c"; }
.asked::after { content: "\\201d"; }
.asked, .quiet, .name, .evidence { color: var(--vscode-descriptionForeground); }
.name, pre { font-family: var(--vscode-editor-font-family); font-size: var(--vscode-editor-font-size); }
.evidence { font-size: 0.7em; font-weight: 400; white-space: nowrap; }
.summary { font-size: 1.1em; margin-top: 0.6em; }
table { border-collapse: collapse; }
th, td { padding: 0.2em 1.2em 0.2em 0; text-align: left; vertical-align: top; }
th { font-weight: 400; }
th, .short { white-space: nowrap; }
.decisive th { font-weight: 600; }
.number { font-variant-numeric: tabular-nums; text-align: right; white-space: nowrap; }
.total td, .total th { border-top: 1px solid var(--vscode-widget-border, var(--vscode-panel-border)); }
.bar { display: block; height: 0.6em; margin-top: 0.45em; width: 10em; }
.track { fill: var(--vscode-widget-border, var(--vscode-panel-border)); opacity: 0.5; }
.more { fill: var(--vscode-charts-blue); }
.less { fill: var(--vscode-charts-red); }
mark { background: var(--vscode-editor-findMatchHighlightBackground); border-radius: 2px; color: inherit; }
s { color: var(--vscode-descriptionForeground); }
pre { background: var(--vscode-textCodeBlock-background); border-radius: 4px; max-height: 30em; overflow: auto; padding: 0.8em 1em; tab-size: 4; }
`;
