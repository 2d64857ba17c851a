package io.csi4j.conformance.internal.plugin;

import com.google.protobuf.Message;
import com.google.protobuf.MessageOrBuilder;
import io.csi4j.client.model.StatusCode;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;

/** The steps of all cases, by the names of the cases. */
final class CaseSteps {

  private final Map<String, Consumer<Trial>> all = new LinkedHashMap<>();

  /** Adds the steps of a case. */
  void add(String name, Consumer<Trial> steps) {
    if (all.put(name, steps) != null) {
      throw new IllegalStateException("The case " + name + " has its steps twice.");
    }
  }

  /** Adds, for each field, a case that leaves it out of an otherwise lawful request. */
  void required(String prefix, Function<Trial, MessageOrBuilder> request, String... fields) {
    for (String field : fields) {
      add(
          prefix + "/without-" + field.replace('_', '-') + "-is-refused",
          t -> {
            Message whole = Trial.built(request.apply(t));
            Message lacking =
                whole.toBuilder()
                    .clearField(whole.getDescriptorForType().findFieldByName(field))
                    .build();
            Reply reply = t.call(lacking);
            // No thing has an empty id, for which the tables of the calls have NOT_FOUND.
            t.check(
                reply.code() == StatusCode.INVALID_ARGUMENT
                    || (reply.code() == StatusCode.NOT_FOUND && field.endsWith("_id")),
                reply,
                "without " + field + " fails with " + Trial.words(StatusCode.INVALID_ARGUMENT));
            t.adviseUnless(reply, StatusCode.INVALID_ARGUMENT);
          });
    }
  }

  /** Takes the steps of a case out. */
  Consumer<Trial> take(String name) {
    Consumer<Trial> steps = all.remove(name);
    if (steps == null) {
      throw new IllegalStateException("The case " + name + " of cases.tsv has no steps.");
    }
    return steps;
  }

  /** Refuses steps that no row of the table has asked for. */
  void checkAllTaken() {
    if (!all.isEmpty()) {
      throw new IllegalStateException("No row of cases.tsv has the cases " + all.keySet() + ".");
    }
  }
}
