package io.csi4j.testkit.fault;

import io.csi4j.client.model.CsiOperation;
import io.csi4j.testkit.internal.journal.MessageFields;
import io.csi4j.testkit.internal.json.JsonReader;
import io.csi4j.testkit.journal.WireMessage;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * The fields of an answer that is the same for each call, and the JSON that they were written as.
 */
record FixedAnswer(Map<String, Object> fields, String json)
    implements Function<WireMessage, Map<String, Object>> {

  static FixedAnswer parse(CsiOperation operation, String json) {
    Map<String, Object> fields = JsonReader.object(json);
    MessageFields.check(operation, fields);
    return new FixedAnswer(fields, json);
  }

  @Override
  public Map<String, Object> apply(WireMessage request) {
    return fields;
  }

  /** The same fields, in place of those of an answer. */
  Changed changing() {
    return new Changed(this);
  }

  @Override
  public String toString() {
    return json;
  }

  /** The fields as a change of an answer. */
  record Changed(FixedAnswer fixed)
      implements BiFunction<WireMessage, WireMessage, Map<String, Object>> {

    @Override
    public Map<String, Object> apply(WireMessage request, WireMessage answer) {
      return fixed.fields();
    }

    @Override
    public String toString() {
      return fixed.json();
    }
  }
}
