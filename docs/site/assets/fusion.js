// The worked example of the ranking with weights that a reader can move. It loads nothing.
document.querySelectorAll(".fusion").forEach((place) => {
  const answer = JSON.parse(place.dataset.answer);
  const values = { ...answer.weights, k: answer.k };
  const controls = place.appendChild(document.createElement("p"));
  const table = place.appendChild(document.createElement("table"));
  const head = table.createTHead().insertRow();
  for (const title of ["rank", "document", "score"]) head.appendChild(document.createElement("th")).textContent = title;
  const body = table.createTBody();

  const score = ({ ranks, factor }) =>
    (Object.entries(ranks).reduce((sum, [name, rank]) => sum + values[name] / (values.k + rank), 0) * factor) /
    answer.ceiling;

  const draw = () => {
    const ranked = answer.results.map((each) => [score(each), each]).sort((a, b) => b[0] - a[0]);
    body.replaceChildren();
    ranked.forEach(([value, { name }], at) => {
      const row = body.insertRow();
      row.insertCell().textContent = String(at + 1);
      row.insertCell().appendChild(document.createElement("code")).textContent = name;
      row.insertCell().textContent = value.toFixed(4);
    });
  };

  for (const [name, value] of Object.entries(values)) {
    const label = controls.appendChild(document.createElement("label"));
    const shown = document.createElement("output");
    const input = document.createElement("input");
    Object.assign(input, { type: "range", min: 0, max: name === "k" ? 200 : 3, step: name === "k" ? 5 : 0.1, value });
    shown.textContent = String(value);
    input.addEventListener("input", () => {
      values[name] = Number(input.value);
      shown.textContent = input.value;
      draw();
    });
    label.append(`${name} `, input, " ", shown);
  }
  draw();
});
