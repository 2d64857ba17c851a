package io.csi4j.volume.internal.names;

import io.csi4j.client.model.Violation;
import io.csi4j.client.model.Violation.Rule;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Collects the violations in a request. */
public final class Violations {

  private final List<Violation> all = new ArrayList<>();

  /** Adds a field's violation of a rule. */
  public void add(String field, Rule rule, String detail) {
    all.add(new Violation(field, rule, detail));
  }

  /** Adds violations that were found elsewhere. */
  public void addAll(List<Violation> others) {
    all.addAll(others);
  }

  /**
   * Returns the value with this name; empty if the name is missing or invalid. An invalid name is
   * added as a violation.
   */
  public <T> Optional<T> read(String field, @Nullable String word, Function<String, T> reading) {
    if (word == null) {
      return Optional.empty();
    }
    try {
      return Optional.of(reading.apply(word));
    } catch (IllegalArgumentException refused) {
      String why = String.valueOf(refused.getMessage());
      add(
          field,
          word.isEmpty() ? Rule.REQUIRED : Rule.UNRECOGNIZED,
          "is refused: " + (why.endsWith(".") ? why.substring(0, why.length() - 1) : why));
      return Optional.empty();
    }
  }

  /** Returns the violations, in the order in which they were added. */
  public List<Violation> all() {
    return List.copyOf(all);
  }
}
