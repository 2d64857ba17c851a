package io.csi4j.conformance.internal.plugin;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import com.google.protobuf.MessageOrBuilder;
import io.csi4j.client.model.StatusCode;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The steps of all cases, by the names of the cases. */
final class CaseSteps {

  private final Map<String, Consumer<Trial>> all = new LinkedHashMap<>();
  private final Map<String, Function<Trial, MessageOrBuilder>> asked = new LinkedHashMap<>();

  /** Returns the cases whose names begin with this, as those about one call do. */
  Group under(String prefix) {
    return new Group(prefix + "/");
  }

  /** Cases whose names have a common beginning, which is left out here. */
  final class Group {
    private final String prefix;

    private Group(String prefix) {
      this.prefix = prefix;
    }

    /** Adds the steps of a case. */
    void add(String name, Consumer<Trial> steps) {
      put(all, name, steps);
    }

    /** Adds a case that is judged by how one call ends: its row has the codes. */
    void ask(String name, Function<Trial, MessageOrBuilder> request) {
      put(asked, name, request);
    }

    /** Adds, for each field, a case that leaves it out of an otherwise lawful request. */
    void required(Function<Trial, MessageOrBuilder> request, String... fields) {
      for (String field : fields) {
        add("without-" + field.replace('_', '-') + "-is-refused", t -> lacking(t, request, field));
      }
    }

    private <T> void put(Map<String, T> steps, String name, T added) {
      if (steps.put(prefix + name, added) != null) {
        throw new IllegalStateException("The case " + prefix + name + " has its steps twice.");
      }
    }
  }

  /**
   * Takes the steps of a case out.
   *
   * @param ends how its call has to end and with which codes; empty if the steps judge that
   */
  Consumer<Trial> take(String name, String ends) {
    Consumer<Trial> steps = ends.isEmpty() ? all.remove(name) : asking(name, ends);
    if (steps == null) {
      throw new IllegalStateException("The case " + name + " of cases.tsv has no steps.");
    }
    return steps;
  }

  private @Nullable Consumer<Trial> asking(String name, String ends) {
    Function<Trial, MessageOrBuilder> request = asked.remove(name);
    if (request == null) {
      return null;
    }
    String[] parts = ends.split(": ", 2);
    StatusCode[] codes =
        Arrays.stream(parts[1].split(" ")).map(StatusCode::valueOf).toArray(StatusCode[]::new);
    return switch (parts[0]) {
      case "fails" -> t -> t.refused(request.apply(t), codes);
      case "fails, best" -> t -> t.refusedBest(request.apply(t), codes);
      case "best" -> t -> t.best(request.apply(t), codes);
      default -> throw new IllegalStateException("No call of " + name + " ends: " + ends);
    };
  }

  private static void lacking(Trial t, Function<Trial, MessageOrBuilder> request, String field) {
    Message whole = Trial.built(request.apply(t));
    FieldDescriptor left = whole.getDescriptorForType().findFieldByName(field);
    Reply reply = t.call(whole.toBuilder().clearField(left));
    // No thing has an empty id, for which the tables of the calls have NOT_FOUND.
    t.check(
        reply.code() == StatusCode.INVALID_ARGUMENT
            || (reply.code() == StatusCode.NOT_FOUND && field.endsWith("_id")),
        reply,
        "without " + field + " fails with " + Trial.words(StatusCode.INVALID_ARGUMENT));
    t.adviseUnless(reply, StatusCode.INVALID_ARGUMENT);
  }

  /** Refuses steps that no row of the table has asked for. */
  void checkAllTaken() {
    Set<String> left = new TreeSet<>(all.keySet());
    left.addAll(asked.keySet());
    if (!left.isEmpty()) {
      throw new IllegalStateException("No row of cases.tsv has the cases " + left + ".");
    }
  }
}
