// Countries and their capitals, with the continent each is usually counted in. Common knowledge, written by hand.

/** A country as sentences name it. */
export interface Country {
  readonly name: string;
  readonly capital: string;
  readonly continent: string;
}

const TABLE: Readonly<Record<string, string>> = {
  Europe: `Albania=Tirana, Andorra=Andorra la Vella, Austria=Vienna, Belarus=Minsk, Belgium=Brussels, Bosnia=Sarajevo,
Bulgaria=Sofia, Croatia=Zagreb, Cyprus=Nicosia, the Czech Republic=Prague, Denmark=Copenhagen, England=London, Estonia=Tallinn,
Finland=Helsinki, France=Paris, Germany=Berlin, Greece=Athens, Hungary=Budapest, Iceland=Reykjavik, Ireland=Dublin, Italy=Rome,
Kosovo=Pristina, Latvia=Riga, Lithuania=Vilnius, Luxembourg=Luxembourg City, Malta=Valletta, Moldova=Chisinau, Monaco=Monaco,
Montenegro=Podgorica, the Netherlands=Amsterdam, North Macedonia=Skopje, Norway=Oslo, Poland=Warsaw, Portugal=Lisbon,
Romania=Bucharest, Russia=Moscow, Scotland=Edinburgh, Serbia=Belgrade, Slovakia=Bratislava, Slovenia=Ljubljana, Spain=Madrid,
Sweden=Stockholm, Switzerland=Bern, Ukraine=Kyiv, the United Kingdom=London, Wales=Cardiff`,
  Asia: `Afghanistan=Kabul, Armenia=Yerevan, Azerbaijan=Baku, Bahrain=Manama, Bangladesh=Dhaka, Bhutan=Thimphu, Cambodia=Phnom Penh,
China=Beijing, Georgia=Tbilisi, India=New Delhi, Indonesia=Jakarta, Iran=Tehran, Iraq=Baghdad, Israel=Jerusalem, Japan=Tokyo,
Jordan=Amman, Kazakhstan=Astana, Kuwait=Kuwait City, Kyrgyzstan=Bishkek, Laos=Vientiane, Lebanon=Beirut, Malaysia=Kuala Lumpur,
Mongolia=Ulaanbaatar, Myanmar=Naypyidaw, Nepal=Kathmandu, North Korea=Pyongyang, Oman=Muscat, Pakistan=Islamabad,
the Philippines=Manila, Qatar=Doha, Saudi Arabia=Riyadh, Singapore=Singapore, South Korea=Seoul, Sri Lanka=Colombo, Syria=Damascus,
Taiwan=Taipei, Tajikistan=Dushanbe, Thailand=Bangkok, Turkey=Ankara, the United Arab Emirates=Abu Dhabi, Uzbekistan=Tashkent,
Vietnam=Hanoi, Yemen=Sanaa`,
  Africa: `Algeria=Algiers, Angola=Luanda, Botswana=Gaborone, Cameroon=Yaounde, Chad=N'Djamena, Egypt=Cairo, Ethiopia=Addis Ababa,
Gabon=Libreville, Ghana=Accra, Kenya=Nairobi, Liberia=Monrovia, Libya=Tripoli, Madagascar=Antananarivo, Malawi=Lilongwe, Mali=Bamako,
Morocco=Rabat, Mozambique=Maputo, Namibia=Windhoek, Niger=Niamey, Nigeria=Abuja, Rwanda=Kigali, Senegal=Dakar, Somalia=Mogadishu,
South Africa=Pretoria, Sudan=Khartoum, Tanzania=Dodoma, Togo=Lome, Tunisia=Tunis, Uganda=Kampala, Zambia=Lusaka, Zimbabwe=Harare`,
  'North America': `Canada=Ottawa, Costa Rica=San Jose, Cuba=Havana, the Dominican Republic=Santo Domingo, El Salvador=San Salvador,
Guatemala=Guatemala City, Haiti=Port-au-Prince, Honduras=Tegucigalpa, Jamaica=Kingston, Mexico=Mexico City, Nicaragua=Managua,
Panama=Panama City, the United States=Washington`,
  'South America': `Argentina=Buenos Aires, Bolivia=Sucre, Brazil=Brasilia, Chile=Santiago, Colombia=Bogota, Ecuador=Quito,
Paraguay=Asuncion, Peru=Lima, Uruguay=Montevideo, Venezuela=Caracas`,
  Oceania: `Australia=Canberra, Fiji=Suva, New Zealand=Wellington`,
};

/** All countries the model is taught. */
export const COUNTRIES: readonly Country[] = Object.entries(TABLE).flatMap(([continent, rows]) =>
  rows.split(/,\s*/).map((row) => {
    const [name = '', capital = ''] = row.split('=');
    return { name, capital, continent };
  }),
);

/** The name without its article, as people type it into a search box. */
export function withoutArticle(country: string): string {
  return country.startsWith('the ') ? country.slice(4) : country;
}
