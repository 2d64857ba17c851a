package io.csi4j.testkit.fault;

import io.csi4j.client.model.CsiOperation;
import io.csi4j.testkit.internal.journal.MessageFields;
import io.csi4j.testkit.internal.json.JsonReader;
import io.csi4j.testkit.journal.WireMessage;
import java.util.Map;
import java.util.function.BiFunction;

/** Returns the same fields for each call, and keeps the JSON text from which they were parsed. */
record FixedAnswer(Map<String, Object> fields, String json)
    implements BiFunction<WireMessage, WireMessage, Map<String, Object>> {

  static FixedAnswer parse(CsiOperation operation, String json) {
    Map<String, Object> fields = JsonReader.object(json);
    MessageFields.check(operation, fields);
    return new FixedAnswer(fields, json);
  }

  @Override
  public Map<String, Object> apply(WireMessage request, WireMessage answer) {
    return fields;
  }

  @Override
  public String toString() {
    return json;
  }
}
