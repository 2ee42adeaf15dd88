// Several linked viewers of one grid. The viewers share cursor, camera, field, cut, mode, opacity
// and grey levels. Viewers whose descriptions have the same `colours` also share the colour limits.
// The first viewer has the tools.
//
// The value of each viewer at the cursor, with the `name` of its description, is shown in an
// element of class .values.

const startLinked = async () => {
  const roots = [...document.querySelectorAll('.viewer')];
  const viewers = (
    await Promise.all(
      roots.map((root) =>
        osteonViewer(root, JSON.parse(root.querySelector('.description').textContent)).catch(
          (e) => {
            root.classList.add('nogl', 'failed');
            root.querySelector('.readout').textContent = `The slices cannot be shown: ${e.message}`;
          },
        ),
      ),
    )
  ).filter(Boolean);
  if (!viewers.length) return;
  const tools = document.getElementById('tools'),
    change = viewers.find((v) => v.description.colours === 'changes');
  tools.append(...viewers[0].tools.children);
  viewers[0].tools = tools;
  if (change) {
    const limit = change.tools.querySelector('.limit');
    limit.firstChild.textContent = 'Change up to ';
    tools.querySelector('.limit').after(limit);
  }
  const shared = [
    'azimuth',
    'elevation',
    'zoom',
    'cut',
    'mode',
    'opacity',
    'level',
    'window',
    'showsSets',
    'outline',
    'plotAlong',
  ];
  const place = document.querySelector('.place'),
    values = document.querySelector('.values');
  const showValues = () => {
    const first = viewers[0];
    place.textContent = [0, 1, 2].map((a) => `${AXES[a]} ${placeOf(first, a)}`).join(', ') + ' mm';
    values.replaceChildren(
      ...viewers.map((v) => {
        const item = document.createElement('span'),
          bold = document.createElement('b');
        bold.textContent = v.valueHere();
        item.append(`${v.description.name} `, bold);
        return item;
      }),
    );
  };
  let isNotifying = false; // a viewer that follows sends no further messages
  for (const from of viewers)
    from.notify = (part) => {
      if (isNotifying) return;
      isNotifying = true;
      for (const to of viewers) {
        if (to === from) continue;
        for (const name of shared) to[name] = from[name];
        to.at = from.at.slice();
        if (to.chosen !== from.chosen) to.choose(from.chosen);
        if (to.description.colours === from.description.colours) to.range = from.range.slice();
        to.changed(part === 'camera' ? 'view' : part);
      }
      showValues();
      isNotifying = false;
    };
  const peak = change?.field().peak;
  if (peak) peak.at.forEach((v, i) => viewers[0].moveTo(i, Math.floor(v)));
  viewers[0].changed('field');
  showValues();
  document.body.dataset.ready = 'yes'; // for automated browsers
};
