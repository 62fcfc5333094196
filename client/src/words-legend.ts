// The legend of the map: what its colours, buildings and marks mean. The only place of these texts.
export const legendWords = {
  title: 'Legend of the map',
  open: 'Legend',
  openHint: 'What the colours, buildings and marks of the map mean',

  land: 'Land',
  landText: 'The ground shows whose camp is nearest. It says nothing about languages or kinds of code.',
  lands: {
    plains: 'Plains',
    forest: 'Forest',
    coastal: 'Coast',
    hills: 'Hills',
    volcanic: 'Volcanoes',
    crystalline: 'Crystals',
  },
  nearest: (names: string) => `Camps of ${names}`,
  nobodys: 'No camp yet',
  bare: 'Around the keep, and before there are camps, everything is plains. Water and sand lie between the lands.',
  light: 'Dark land is where no hero has been yet, dim land where some were. Heroes, houses and camps give light.',
  roads: 'The more often heroes walk a road, the firmer it is: trodden, gravel, cobbled.',

  buildings: 'In the country',
  building: [
    { piece: 'site.keep', name: 'Keep', text: 'The linked folder, with the files that are in no other folder.' },
    {
      piece: 'site.medium',
      name: 'House',
      text: 'A folder: the more files, the larger. A click goes in. A yellow number counts the heroes inside.',
    },
    {
      piece: 'fort.3',
      name: 'Camp',
      text: 'The camp of a hero. It grows with the hero’s first and third finding and a finished stage.',
    },
    { piece: 'caravan.right.0', name: 'Wagon', text: 'A commit, on the way from a folder that it changed.' },
  ],

  room: 'In a room',
  roomText: 'A larger file has a larger drawing. Code has one for each common language.',
  things: [
    { piece: 'object.file.m.0', name: 'Code', text: 'Also scripts and queries.' },
    { piece: 'object.doc.m.0', name: 'Document', text: 'Text for people: Markdown and the like.' },
    { piece: 'object.config.m.0', name: 'Configuration', text: 'Settings, manifests and lock files.' },
    { piece: 'object.test.m.0', name: 'Test', text: 'Code that tests other code.' },
    { piece: 'object.link.m.0', name: 'Link', text: 'A symbolic link.' },
  ],

  marks: 'Findings and other marks',
  severity: 'A banner on a house and a flag at a file are findings: the worst of them, and their number.',
  mark: [
    { piece: 'mark.uncommitted', name: 'Dot or smoke', text: 'Not committed.' },
    { piece: 'moss.1', name: 'Moss', text: 'No commit for half a year or longer.' },
    { piece: 'footprints.1', name: 'Footprints', text: 'Many commits.' },
    { piece: 'mark.collision', name: 'Two blades', text: 'Two agents edit the same file.' },
    { piece: 'mark.tests-failed', name: 'Cross', text: 'The agent’s last test run failed.' },
  ],

  heroes: 'Heroes and people',
  hero: [
    { piece: 'hero.sentinel.down.idle0', name: 'Hero', text: 'Who reviews or speaks. Hat and tool say the role.' },
    { piece: 'hero.golem.down.idle0', name: 'Coding agent', text: 'A program that somebody runs in this folder.' },
    { piece: 'onlooker', name: 'Figure', text: 'A person, at what they look at now.' },
  ],
} as const
