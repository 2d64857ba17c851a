package io.csi4j.volume.internal.names;

import io.csi4j.client.model.Violation;
import io.csi4j.client.model.Violation.Rule;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Collects what is wrong with a wish. */
public final class Violations {

  private final List<Violation> all = new ArrayList<>();

  /** Notes that a field breaks a rule. */
  public void add(String field, Rule rule, String detail) {
    all.add(new Violation(field, rule, detail));
  }

  /** Notes violations that were found elsewhere. */
  public void addAll(List<Violation> others) {
    all.addAll(others);
  }

  /** Reads a word; nothing if it was not given, or is none, which is noted. */
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

  /** Returns the violations that were noted, in order. */
  public List<Violation> all() {
    return List.copyOf(all);
  }
}
