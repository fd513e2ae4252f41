export type Nation = "England" | "Scotland" | "Wales" | "Northern Ireland";

export interface Town {
  name: string;
  nation: Nation;
  /** Thousands of people, roughly. */
  population: number;
  /** The centre of the town, in WGS 84 degrees. */
  latitude: number;
  longitude: number;
  /** For a town on the coast, the direction inland, in degrees clockwise from north; null for others. */
  inland: number | null;
  outcodes: readonly string[];
  /** Well-known shopping streets of the town itself. */
  streets: readonly string[];
}

// name | thousands | latitude | longitude | inland | outcodes | streets
const england = `
London|8900|51.513|-0.110||E1 E2 E3 E8 E17 EC1V EC2A N1 N4 N7 N16 NW1 NW3 NW5 NW6 SE1 SE5 SE10 SE15 SE22 SW2 SW4 SW9 SW11 SW12 SW17 W2 W4 W6 W12 WC1N WC2H|
Birmingham|1145|52.480|-1.898||B1 B2 B3 B4 B5 B12 B13 B14 B16 B17 B18 B21 B23 B29 B30|Corporation Street;Bull Street;Bristol Road
Leeds|536|53.797|-1.544||LS1 LS2 LS3 LS4 LS6 LS7 LS8 LS9 LS10 LS11 LS12 LS13|Briggate;The Headrow;Otley Road
Sheffield|556|53.381|-1.470||S1 S2 S3 S6 S7 S8 S10 S11|Fargate;Division Street;Ecclesall Road
Manchester|552|53.480|-2.242||M1 M2 M3 M4 M8 M13 M14 M15 M16 M20 M21|Deansgate;Oldham Street;Wilmslow Road
Liverpool|486|53.407|-2.980|90|L1 L2 L3 L4 L6 L7 L8 L13 L15 L17 L18|Bold Street;Church Street;Lark Lane
Bristol|472|51.455|-2.590||BS1 BS2 BS3 BS5 BS6 BS7 BS8 BS16|Gloucester Road;Park Street;North Street
Newcastle upon Tyne|300|54.974|-1.613||NE1 NE2 NE3 NE4 NE5 NE6|Grainger Street;Northumberland Street;Chillingham Road
Nottingham|323|52.954|-1.150||NG1 NG2 NG3 NG5 NG7 NG8|Bridlesmith Gate;Mansfield Road;Wheeler Gate
Leicester|368|52.636|-1.134||LE1 LE2 LE3 LE4 LE5|Narborough Road;Belgrave Road;Silver Street
Coventry|345|52.408|-1.511||CV1 CV2 CV3 CV4 CV5 CV6|Far Gosford Street;Hertford Street
Kingston upon Hull|267|53.744|-0.336|0|HU1 HU2 HU3 HU5 HU6|Whitefriargate;Newland Avenue
Bradford|293|53.795|-1.753||BD1 BD3 BD5 BD7 BD8 BD9|Ivegate;North Parade
Stoke-on-Trent|258|53.026|-2.175||ST1 ST2 ST3 ST4 ST6|Piccadilly;Hartshill Road
Wolverhampton|264|52.585|-2.130||WV1 WV2 WV3 WV4 WV6 WV10|Dudley Street;Darlington Street
Plymouth|264|50.371|-4.142|0|PL1 PL2 PL3 PL4 PL5 PL6|Mutley Plain;Southside Street
Derby|261|52.922|-1.477||DE1 DE3 DE21 DE22 DE23 DE24|Sadler Gate;Friar Gate
Southampton|249|50.905|-1.404|0|SO14 SO15 SO16 SO17 SO18 SO19|Above Bar Street;Bedford Place
Portsmouth|208|50.805|-1.087|0|PO1 PO2 PO3 PO4 PO5 PO6|Commercial Road;Albert Road
Brighton|277|50.824|-0.139|0|BN1 BN2|North Laine;Western Road;Lewes Road
Reading|175|51.456|-0.971||RG1 RG2 RG4 RG6 RG30|Friar Street;Oxford Road
Northampton|244|52.237|-0.895||NN1 NN2 NN3 NN4 NN5|Abington Street;Wellingborough Road
Luton|225|51.879|-0.417||LU1 LU2 LU3 LU4|George Street;Wellington Street
Milton Keynes|264|52.041|-0.759||MK6 MK9 MK10 MK12 MK13 MK14|Silbury Boulevard;Church Street
Norwich|144|52.629|1.296||NR1 NR2 NR3 NR4 NR5 NR6 NR7|Magdalen Street;St Benedicts Street;Unthank Road
Ipswich|140|52.058|1.155||IP1 IP2 IP3 IP4|Tavern Street;Norwich Road
Cambridge|146|52.205|0.121||CB1 CB2 CB3 CB4 CB5|Mill Road;Trinity Street;Regent Street
Peterborough|216|52.573|-0.243||PE1 PE2 PE3 PE4 PE7|Cowgate;Bridge Street
Oxford|162|51.752|-1.258||OX1 OX2 OX3 OX4|Cowley Road;Cornmarket Street;Little Clarendon Street
Swindon|183|51.558|-1.782||SN1 SN2 SN3 SN5 SN25|Wood Street;Regent Street
Bournemouth|196|50.722|-1.880|0|BH1 BH2 BH3 BH5 BH6 BH8 BH9|Christchurch Road;Charminster Road
Poole|151|50.722|-1.982|0|BH12 BH14 BH15 BH17|Ashley Road;High Street
Exeter|131|50.724|-3.531||EX1 EX2 EX4|Fore Street;Gandy Street;Magdalen Road
Bath|94|51.381|-2.360||BA1 BA2|Walcot Street;Milsom Street;Moorland Road
Gloucester|132|51.865|-2.244||GL1 GL2 GL3 GL4|Westgate Street;Eastgate Street
Cheltenham|118|51.899|-2.075||GL50 GL51 GL52 GL53|Montpellier Street;Bath Road
Worcester|104|52.192|-2.220||WR1 WR2 WR3 WR4 WR5|Friar Street;The Shambles
Hereford|61|52.057|-2.716||HR1 HR2 HR4|Widemarsh Street;Church Street
Shrewsbury|77|52.708|-2.754||SY1 SY2 SY3|Wyle Cop;Mardol
Telford|156|52.678|-2.447||TF1 TF2 TF3 TF4|Market Street;Southwater Way
Stafford|71|52.806|-2.117||ST16 ST17|Greengate Street;Eastgate Street
Lincoln|104|53.230|-0.541||LN1 LN2 LN5 LN6|Steep Hill;Bailgate
York|142|53.959|-1.081||YO1 YO10 YO23 YO24 YO26 YO30 YO31|Gillygate;Bishopthorpe Road;Micklegate
Harrogate|75|53.992|-1.541||HG1 HG2|Cold Bath Road;Parliament Street
Huddersfield|141|53.646|-1.782||HD1 HD2 HD3 HD4 HD5|New Street;Byram Street
Halifax|88|53.723|-1.861||HX1 HX2 HX3|Crown Street;Woolshops
Wakefield|110|53.683|-1.499||WF1 WF2|Northgate;Westgate
Barnsley|97|53.553|-1.480||S70 S71 S75|Eldon Street;Market Hill
Doncaster|113|53.523|-1.133||DN1 DN2 DN4 DN5|Hall Gate;Copley Road
Rotherham|110|53.430|-1.357||S60 S61 S65|Wellgate;Effingham Street
Chesterfield|88|53.236|-1.427||S40 S41|Chatsworth Road;Knifesmithgate
Middlesbrough|148|54.574|-1.235||TS1 TS3 TS4 TS5|Linthorpe Road;Albert Road
Sunderland|168|54.906|-1.383|270|SR1 SR2 SR3 SR4 SR5|Vine Place;Chester Road
Durham|51|54.777|-1.575||DH1|Elvet Bridge;Saddler Street
Darlington|93|54.525|-1.553||DL1 DL3|Skinnergate;Bondgate
Carlisle|75|54.895|-2.936||CA1 CA2 CA3|Botchergate;Fisher Street
Lancaster|53|54.047|-2.801|90|LA1|Penny Street;Moor Lane
Preston|147|53.759|-2.699||PR1 PR2|Fishergate;Friargate
Blackpool|141|53.818|-3.050|90|FY1 FY2 FY3 FY4|Topping Street;Lytham Road
Blackburn|124|53.748|-2.482||BB1 BB2|Darwen Street;King William Street
Burnley|78|53.789|-2.240||BB10 BB11 BB12|St James's Street;Colne Road
Bolton|184|53.578|-2.429||BL1 BL2 BL3|Deansgate;Chorley New Road
Bury|81|53.593|-2.297||BL8 BL9|The Rock;Silver Street
Oldham|110|53.541|-2.117||OL1 OL4 OL8 OL9|Yorkshire Street;Union Street
Rochdale|111|53.616|-2.155||OL11 OL12 OL16|Drake Street;The Butts
Stockport|117|53.408|-2.157||SK1 SK2 SK3 SK4|Underbank;Shaw Road
Warrington|174|53.390|-2.597||WA1 WA2 WA4 WA5|Sankey Street;Bridge Street
Wigan|107|53.545|-2.632||WN1 WN3 WN5|Standishgate;Wallgate
St Helens|117|53.454|-2.736||WA9 WA10 WA11|Church Street;Duke Street
Southport|94|53.647|-3.006|90|PR8 PR9|Lord Street;Nevill Street
Birkenhead|110|53.390|-3.022|225|CH41 CH42 CH43|Grange Road;Oxton Road
Chester|92|53.191|-2.891||CH1 CH2 CH3 CH4|Watergate Street;Foregate Street
Crewe|77|53.098|-2.441||CW1 CW2|Nantwich Road;Market Street
Macclesfield|53|53.259|-2.126||SK10 SK11|Chestergate;Mill Street
Kendal|30|54.328|-2.745||LA9|Highgate;Stricklandgate
Scarborough|60|54.283|-0.400|225|YO11 YO12|Westborough;Ramshill Road
Whitby|13|54.486|-0.614|190|YO21 YO22|Skinner Street;Flowergate
Grimsby|86|53.567|-0.080|225|DN31 DN32 DN33 DN34|Victoria Street;Freeman Street
King's Lynn|48|52.752|0.395|100|PE30|Norfolk Street;High Street
Great Yarmouth|39|52.607|1.729|270|NR30 NR31|Regent Road;Market Row
Bury St Edmunds|42|52.246|0.712||IP32 IP33|Abbeygate Street;St John's Street
Colchester|131|51.889|0.901||CO1 CO2 CO3 CO4|Sir Isaac's Walk;Crouch Street
Chelmsford|112|51.736|0.469||CM1 CM2|Moulsham Street;Duke Street
Southend-on-Sea|181|51.540|0.712|0|SS0 SS1 SS2 SS3|Hamlet Court Road;London Road
St Albans|83|51.753|-0.337||AL1 AL2 AL3 AL4|Hatfield Road;George Street
Watford|132|51.655|-0.396||WD17 WD18 WD24 WD25|Market Street;St Albans Road
Guildford|80|51.236|-0.570||GU1 GU2|Tunsgate;North Street
Woking|105|51.319|-0.559||GU21 GU22|Chertsey Road;Goldsworth Road
Basingstoke|107|51.266|-1.087||RG21 RG22 RG23|Winchester Street;London Street
Winchester|48|51.063|-1.311||SO22 SO23|Jewry Street;Parchment Street
Salisbury|42|51.069|-1.795||SP1 SP2|Fisherton Street;Catherine Street
Crawley|115|51.113|-0.187||RH10 RH11|The Boulevard;High Street
Maidstone|110|51.272|0.523||ME14 ME15 ME16|Week Street;Gabriel's Hill
Canterbury|58|51.279|1.080||CT1 CT2|Palace Street;Northgate
Tunbridge Wells|60|51.132|0.263||TN1 TN2 TN4|Chapel Place;Camden Road
Hastings|92|50.857|0.581|0|TN34 TN35|George Street;Norman Road
Eastbourne|104|50.769|0.284|330|BN20 BN21 BN22|Grove Road;Terminus Road
Worthing|111|50.818|-0.375|0|BN11 BN12 BN13 BN14|Montague Street;Warwick Street
Taunton|61|51.015|-3.103||TA1 TA2|Bath Place;East Reach
Truro|21|50.263|-5.051||TR1|River Street;Lemon Street
Penzance|21|50.119|-5.537|340|TR18|Chapel Street;Market Jew Street
Torquay|65|50.467|-3.530|300|TQ1 TQ2|Fleet Street;Fore Street
Barnstaple|31|51.080|-4.060||EX31 EX32|Boutport Street;Butchers Row
Kettering|63|52.398|-0.728||NN15 NN16|Gold Street;Rockingham Road
Loughborough|65|52.771|-1.206||LE11|Church Gate;Ashby Road
Mansfield|110|53.144|-1.197||NG18 NG19|Leeming Street;West Gate
Nuneaton|88|52.523|-1.468||CV10 CV11|Abbey Street;Queens Road
Royal Leamington Spa|50|52.292|-1.536||CV31 CV32|The Parade;Clarendon Street
Bedford|106|52.136|-0.467||MK40 MK41 MK42|Midland Road;Castle Road
`;

const scotland = `
Glasgow|635|55.861|-4.250||G1 G2 G3 G4 G11 G12 G20 G31 G41 G42|Sauchiehall Street;Byres Road;Argyle Street;Victoria Road
Edinburgh|527|55.950|-3.190|225|EH1 EH2 EH3 EH4 EH6 EH7 EH8 EH9 EH10 EH11|Leith Walk;Morningside Road;Cockburn Street
Aberdeen|198|57.147|-2.098|270|AB10 AB11 AB15 AB16 AB24 AB25|Union Street;Rosemount Place
Dundee|148|56.462|-2.970|330|DD1 DD2 DD3 DD4|Perth Road;Reform Street
Paisley|77|55.845|-4.424||PA1 PA2 PA3|Causeyside Street;High Street
Inverness|47|57.478|-4.225|180|IV1 IV2 IV3|Church Street;Academy Street
Perth|47|56.396|-3.437||PH1 PH2|George Street;South Methven Street
Stirling|38|56.117|-3.937||FK7 FK8 FK9|Barnton Street;King Street
Falkirk|35|56.001|-3.784||FK1 FK2|Cow Wynd;Vicar Street
Kilmarnock|46|55.611|-4.496||KA1 KA3|John Finnie Street;Bank Street
Ayr|46|55.463|-4.629|100|KA7 KA8|Sandgate;Fort Street
Dunfermline|55|56.071|-3.452||KY11 KY12|Bruce Street;High Street
Kirkcaldy|50|56.111|-3.160|300|KY1 KY2|Nicol Street;High Street
Dumfries|33|55.070|-3.606||DG1 DG2|English Street;Friars Vennel
Oban|9|56.413|-5.471|90|PA34|George Street;Combie Street
St Andrews|18|56.340|-2.796|240|KY16|Market Street;South Street
Lerwick|7|60.155|-1.148|270|ZE1|Commercial Street;Commercial Road
`;

const wales = `
Cardiff|362|51.481|-3.179|350|CF5 CF10 CF11 CF14 CF23 CF24|Queen Street;Wellfield Road;Cowbridge Road East
Swansea|246|51.621|-3.944|340|SA1 SA2 SA4 SA5 SA6|Wind Street;Uplands Crescent
Newport|145|51.588|-2.998||NP10 NP18 NP19 NP20|Commercial Street;Caerleon Road
Wrexham|65|53.046|-2.993||LL11 LL12 LL13|Hope Street;Regent Street
Bangor|18|53.228|-4.128|160|LL57|High Street;Holyhead Road
Llandudno|20|53.324|-3.827|170|LL30|Mostyn Street;Gloddaeth Street
Aberystwyth|16|52.415|-4.083|90|SY23|Great Darkgate Street;Pier Street
Carmarthen|16|51.856|-4.311||SA31|King Street;Lammas Street
Merthyr Tydfil|44|51.748|-3.378||CF47 CF48|High Street;Pontmorlais
Barry|57|51.405|-3.270|0|CF62 CF63|Holton Road;High Street
Bridgend|51|51.504|-3.577||CF31|Nolton Street;Dunraven Place
`;

const northernIreland = `
Belfast|345|54.597|-5.930|225|BT1 BT2 BT4 BT5 BT6 BT7 BT9 BT12 BT15|Lisburn Road;Botanic Avenue;Ormeau Road
Londonderry|85|54.997|-7.320||BT47 BT48|Shipquay Street;Waterloo Street
Lisburn|51|54.512|-6.045||BT27 BT28|Bow Street;Bachelors Walk
Newry|28|54.176|-6.340||BT34 BT35|Hill Street;Monaghan Street
Armagh|16|54.349|-6.654||BT60 BT61|Scotch Street;Thomas Street
Newtownards|28|54.591|-5.696||BT23|Conway Square;Frances Street
Ballymena|31|54.864|-6.279||BT42 BT43|Church Street;Wellington Street
Omagh|20|54.600|-7.299||BT78 BT79|Market Street;George's Street
Enniskillen|14|54.345|-7.639||BT74|Townhall Street;Belmore Street
Coleraine|25|55.132|-6.668||BT51 BT52|The Diamond;New Row
`;

const readTowns = (nation: Nation, table: string): Town[] =>
  table
    .trim()
    .split("\n")
    .map((line) => {
      const [name = "", population, latitude, longitude, inland, outcodes = "", streets = ""] =
        line.split("|");
      return {
        name,
        nation,
        population: Number(population),
        latitude: Number(latitude),
        longitude: Number(longitude),
        inland: inland === "" ? null : Number(inland),
        outcodes: outcodes.split(" "),
        streets: streets === "" ? [] : streets.split(";"),
      };
    });

/** Real towns of the four nations, with their locations and real outcodes. Imports know large towns by them. */
export const towns: readonly Town[] = [
  ...readTowns("England", england),
  ...readTowns("Scotland", scotland),
  ...readTowns("Wales", wales),
  ...readTowns("Northern Ireland", northernIreland),
];
