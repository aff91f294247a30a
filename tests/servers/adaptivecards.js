// Reads a JSON list of cards; writes, for each, what Microsoft's parser objects to.
const nothing = () => ({ style: {}, classList: { add() {} }, appendChild() {}, setAttribute() {} });
globalThis.document = { createElement: nothing };
globalThis.window = globalThis;
const cards = require(process.argv[2]);
const given = JSON.parse(require("fs").readFileSync(0, "utf8"));
const found = given.map((one) => {
  const context = new cards.SerializationContext(cards.Versions.v1_5);
  const card = new cards.AdaptiveCard();
  card.parse(one, context);
  const told = card.validateProperties().validationEvents.map((event) => event.message);
  for (let i = 0; i < context.eventCount; i++) told.push(context.getEventAt(i).message);
  return told;
});
process.stdout.write(JSON.stringify(found));
