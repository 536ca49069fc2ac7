/** Invented companies. Their mail addresses end in `.example`, which nobody can own. */

export interface CompanyDetails {
  name: string;
  address: string;
  country: string;
  phone: string;
  email: string;
}

const of = (
  name: string,
  address: string,
  country: string,
  phone: string,
  email: string,
): CompanyDetails => ({ name, address, country, phone, email });

export const COMPANIES: readonly CompanyDetails[] = [
  of(
    'Nebelwerk GmbH & Co. KG',
    'Glashütter Straße 17, 01277 Dresden',
    'DE',
    '+49 351 5550147',
    'eu-ceg@nebelwerk.example',
  ),
  of(
    'Brume & Fils S.A.S.',
    "12 bis, rue de l'Étoile, 69002 Lyon",
    'FR',
    '+33 4 72 55 01 98',
    'reglementaire@brume-fils.example',
  ),
  of(
    'Vítr Liquid s.r.o.',
    'Vítězná 8, 284 03 Kutná Hora',
    'CZ',
    '+420 327 555 016',
    'info@vitr-liquid.example',
  ),
  of(
    'Αύρα Ατμού Α.Ε.',
    'Οδός Ερμού 41, 105 63 Αθήνα',
    'GR',
    '+30 210 5550163',
    'kanonismoi@avra-atmou.example',
  ),
  of('Мъгла ЕООД', 'ул. „Шипка“ 6, 1504 София', 'BG', '+359 2 555 0126', 'office@magla.example'),
  of(
    'Para Sp. z o.o.',
    'ul. Świętokrzyska 31/33, 00-049 Warszawa',
    'PL',
    '+48 22 555 01 84',
    'zgloszenia@para.example',
  ),
  of('Ködfüst Kft.', 'Kálvin tér 5., 1085 Budapest', 'HU', '+36 1 555 0179', 'hatosag@kodfust.example'),
  of('Sõltumatu Aur OÜ', 'Tartu mnt 18, 10115 Tallinn', 'EE', '+372 5550134', 'teavitus@aur.example'),
  of('Rūkas SIA', 'Brīvības iela 74, Rīga, LV-1011', 'LV', '+371 65550112', 'birojs@rukas.example'),
  of('Garų Linija UAB', 'Žirmūnų g. 27, 09105 Vilnius', 'LT', '+370 5 5550171', 'info@garu-linija.example'),
  of(
    'Dimna Črta d.o.o.',
    'Letališka cesta 3, 1000 Ljubljana',
    'SI',
    '+386 1 555 01 43',
    'prijave@dimna-crta.example',
  ),
  of(
    'Oblak Šibenik d.o.o.',
    'Ulica Stjepana Radića 9, 22000 Šibenik',
    'HR',
    '+385 22 555 018',
    'oblak@oblak.example',
  ),
  of(
    'Ceață Fină S.R.L.',
    'Strada Știrbei Vodă 22, 010113 București',
    'RO',
    '+40 21 555 0152',
    'notificari@ceata-fina.example',
  ),
  of(
    'Nordlys Damp ApS',
    'Ærøgade 14, 8000 Aarhus C',
    'DK',
    '+45 55 50 01 67',
    'regulatory@nordlys-damp.example',
  ),
  of('Höyry Oy', 'Hämeentie 103, 00550 Helsinki', 'FI', '+358 9 5550 139', 'ilmoitukset@hoyry.example'),
  of('Ånga & Söner AB', 'Götgatan 66, 118 30 Stockholm', 'SE', '+46 8 555 01 26', 'anmalan@anga.example'),
  of(
    'Stoomhuis B.V.',
    'Prinsengracht 512, 1017 KH Amsterdam',
    'NL',
    '+31 20 555 0148',
    'meldingen@stoomhuis.example',
  ),
  of(
    'Vapore Lieve S.p.A.',
    'Via Niccolò Tommaseo 19, 35131 Padova',
    'IT',
    '+39 049 555 0181',
    'notifiche@vapore-lieve.example',
  ),
  of(
    'Niebla Señera S.L.',
    'Calle de la Peña 7, 28012 Madrid',
    'ES',
    '+34 91 555 01 59',
    'avisos@niebla.example',
  ),
  of(
    'Névoa Açoriana, Lda.',
    'Rua da Conceição 33, 9500 Ponta Delgada',
    'PT',
    '+351 296 555 013',
    'geral@nevoa.example',
  ),
  of(
    "O'Ceallaigh Vapour Ltd",
    '9 Dáme Street, Dublin 2',
    'IE',
    '+353 1 555 0115',
    'compliance@oceallaigh.example',
  ),
  of(
    'Mist "Island" Trading Ltd',
    'Triq ir-Repubblika 88, Il-Belt Valletta',
    'MT',
    '+356 2555 0127',
    'office@mist-island.example',
  ),
  of(
    'Thames Aerosol Ltd',
    '10 Hammer Row, London W6 0AB',
    'GB',
    '+44 20 5550 0190',
    'notify@thames-aerosol.example',
  ),
  of(
    'Shenzhen Yuanshan Technology Co., Ltd',
    'Bldg 4, Xinqiao 3rd Industrial Park\nShajing, Bao’an, Shenzhen',
    'CN',
    '+86 755 5550 1736',
    'eu@yuanshan.example',
  ),
  of(
    'Arve Clinical Instruments SA',
    'Chemin des Pâquis 2, 1201 Genève',
    'CH',
    '+41 (22) 555 01 33',
    'affaires@arve.example',
  ),
];

/** A natural person or small office that represents a submitter. */
export const REPRESENTATIVES: readonly CompanyDetails[] = [
  of(
    'Zoë Müller-Lüdenscheidt',
    'Am Markt 1, 50667 Köln',
    'DE',
    '0221 5550 108',
    'zoe.mueller@kanzlei.example',
  ),
  of(
    'Łukasz Żółkiewski',
    'Rynek Główny 4, 31-042 Kraków',
    'PL',
    '(12) 555 01 77',
    'l.zolkiewski@biuro.example',
  ),
  of('Ελένη Παπαδοπούλου', 'Τσιμισκή 58, 546 23 Θεσσαλονίκη', 'GR', '2310 555 014', 'eleni@grafeio.example'),
  of('Siobhán Ní Bhriain', '3 Sráid na Siopaí, Gaillimh', 'IE', '091 555 016', 'siobhan@oifig.example'),
];
