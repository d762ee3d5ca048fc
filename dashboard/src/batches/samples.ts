import { readSheet, type Sheet } from './sheet.ts';

/** Lists to try it with. The people are made up, and example.com delivers no mail. */
const LISTS = {
  claim: `external_ref,name,email,expected_object,expected_location,metadata.policy
CLM-2041,Ada Lindqvist,ada.lindqvist@example.com,Silver Volkswagen Golf,"Kungsgatan 12, Stockholm",P-88120
CLM-2042,Bruno Marchetti,bruno.marchetti@example.com,Red Vespa scooter,"Via Roma 8, Torino",P-90417
CLM-2043,Chloé Garnier,chloe.garnier@example.com,White Renault Kangoo,"9 rue des Lilas, Lyon",P-77802
`,
  handover: `external_ref,name,email,asset_ref,condition_aspects,metadata.station
RENT-311,Dara Novak,dara.novak@example.com,WVWZZZ1KZAW000311,scratches; clean interior,Vienna Airport
RENT-312,Emil Horvath,emil.horvath@example.com,WVWZZZ1KZAW000312,scratches; clean interior,Vienna Airport
RENT-313,Farid Aziz,farid.aziz@example.com,WVWZZZ1KZAW000313,scratches; clean interior,Graz Central
`,
  document: `external_ref,name,email,expected_object,ocr_type
INV-7001,Greta Olsen,greta.olsen@example.com,Invoice,alphanumeric_id
INV-7002,Hugo Brandt,hugo.brandt@example.com,Invoice,alphanumeric_id
INV-7003,Ines Castro,ines.castro@example.com,Invoice,alphanumeric_id
`,
} as const;

export const SAMPLES = Object.keys(LISTS) as (keyof typeof LISTS)[];
export const sampleText = (name: keyof typeof LISTS): string => LISTS[name];
export const sampleOf = (name: keyof typeof LISTS): Sheet => readSheet(`${name}.csv`, LISTS[name])!;
