import type { Nation } from "./towns.ts";

const list = (text: string): string[] => text.trim().split(/[|\n]/);

const common = list(`
High Street|High Street|High Street|High Street|Station Road|Station Road|Church Road|Church Street
London Road|Victoria Road|Market Place|Market Street|Mill Lane|Park Road|Queen Street|King Street
Bridge Street|Castle Street|Albert Street|New Road|New Street|Chapel Street|Chapel Lane|Manor Road
North Road|South Street|West Street|East Street|Broad Street|Green Lane|Grange Road|Grove Road
School Lane|Springfield Road|The Green|The Square|The Crescent|Union Street|Victoria Street|York Road
Windsor Road|Wellington Street|Alexandra Road|Russell Street|Cross Street|Mill Street|Water Lane
Kings Road|Queens Road|Richmond Road|Stanley Road|George Street|Clarence Street|Cambridge Street`);

/** Streets that most towns of a nation have. */
export const streets: Record<Nation, readonly string[]> = {
  England: common,
  Scotland: [
    ...common,
    ...list(`
Main Street|Main Street|Main Street|Kirk Wynd|Kirkgate|Bank Street|Princes Street|Shore Street
Glebe Street|Mercat Place|Burns Road|Bruce Street|Wallace Street|Murray Place`),
  ],
  Wales: [
    ...common,
    ...list(`
Heol Fawr|Stryd Fawr|Heol yr Orsaf|Commercial Street|Cardiff Road|Ffordd y Parc|Maes y Dre
Lon Las|Gower Street|Heol y Bont|Taff Street|Castle Square`),
  ],
  "Northern Ireland": [
    ...common,
    ...list(`
Main Street|Main Street|Main Street|The Diamond|Railway Street|Scotch Street|Irish Street|Mill Brae
Ballymoney Road|Hillsborough Road|Antrim Road|Linenhall Street`),
  ],
};

/** Where several businesses share an entrance. */
export const yards = list(`
Riverside Business Park|Station Yard|The Old Mill|Canal Wharf|Brewery Yard|The Maltings|Market Hall
Castle Court|Phoenix Trading Estate|Northgate Industrial Estate|The Old Dairy|The Arches|Foundry Lane
Royal Arcade|Kingfisher House|Albion Works|The Coach House|The Old Bakery|Victoria House
Westfield Business Centre|Enterprise Park|The Granary|The Old Fire Station|Exchange Buildings`);
