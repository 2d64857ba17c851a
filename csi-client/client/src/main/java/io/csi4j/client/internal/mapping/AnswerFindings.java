package io.csi4j.client.internal.mapping;

import io.csi4j.client.internal.text.SafeText;
import io.csi4j.client.model.Violation;
import io.csi4j.client.model.Violation.Rule;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The faults of one answer: violations, which make it unusable, and warnings, which do not.
 *
 * <p>A mapping notes all that it finds and then asks for its {@link #result}; with a violation that
 * throws {@link UnusableAnswerException}, and nothing else is ever thrown because of an answer.
 * Both lists are bounded, even for hostile answers. Used by one thread.
 */
public final class AnswerFindings {

  /** How many violations, and how many warnings, are kept. */
  public static final int LIMIT = 64;

  private static final int QUOTE_LIMIT = 256;

  private final UnaryOperator<String> scrubber;

  // Most answers are in order, so collections are made when there is something to note.
  private List<Violation> violations = List.of();
  private List<Violation> warnings = List.of();
  private @Nullable Set<String> kindsOfWarnings;

  private @Nullable String created;

  /** Takes out of foreign text what {@code scrubber} knows to be secret. */
  public AnswerFindings(UnaryOperator<String> scrubber) {
    this.scrubber = scrubber;
  }

  /** For answers to requests that carry no secret. */
  public AnswerFindings() {
    this(UnaryOperator.identity());
  }

  /** An empty one for a part of the same answer that may be left out. */
  public AnswerFindings forPart() {
    return new AnswerFindings(scrubber);
  }

  /** Notes something that makes the answer unusable. */
  public void violation(String field, Rule rule, String detail) {
    if (violations.size() < LIMIT) {
      violations = with(violations, new Violation(field, rule, detail));
    }
  }

  /** Notes something that is let pass. Of one kind of field and rule the first is kept. */
  public void warning(String field, Rule rule, String detail) {
    warning(new Violation(field, rule, detail));
  }

  private void warning(Violation warning) {
    Set<String> kinds = kindsOfWarnings == null ? new HashSet<>() : kindsOfWarnings;
    kindsOfWarnings = kinds;
    if (warnings.size() < LIMIT
        && kinds.add(withoutIndexes(warning.field()) + ' ' + warning.rule())) {
      warnings = with(warnings, warning);
    }
  }

  private static List<Violation> with(List<Violation> noted, Violation another) {
    List<Violation> more = noted.isEmpty() ? new ArrayList<>() : noted;
    more.add(another);
    return more;
  }

  /** Takes over the warnings of a part, unless the part was left out. */
  public void addWarningsOf(AnswerFindings part) {
    part.warnings.forEach(this::warning);
  }

  /**
   * Notes the id of what the call made. If the answer turns out to be unusable, this is what has to
   * be deleted again; so it is only noted when it is certain that this very call made it.
   */
  public void created(String id) {
    created = id;
  }

  /**
   * Returns the id of a thing that the call made and that cannot be used. Nothing if the answer is
   * usable.
   */
  public Optional<String> created() {
    return isUsable() ? Optional.empty() : Optional.ofNullable(created);
  }

  /** Whether there is no violation. */
  public boolean isUsable() {
    return violations.isEmpty();
  }

  /** Returns the faults that make the answer unusable, in the order they were found. */
  public List<Violation> violations() {
    return List.copyOf(violations);
  }

  /** Returns the faults that were let pass, in the order they were found. */
  public List<Violation> warnings() {
    return List.copyOf(warnings);
  }

  /** The result of a usable answer. */
  public <T> T result(Supplier<T> result) {
    if (!isUsable()) {
      throw new UnusableAnswerException();
    }
    return result.get();
  }

  /** The plugin's own words without the secrets; neither escaped nor cut. */
  public String scrub(String foreign) {
    return scrubber.apply(foreign);
  }

  /** Foreign text as part of a detail: without the secrets, escaped, short, between quotes. */
  public String quote(String foreign) {
    return "'" + SafeText.escape(scrub(foreign), QUOTE_LIMIT) + "'";
  }

  private static String withoutIndexes(String field) {
    StringBuilder out = new StringBuilder(field.length());
    for (int i = 0; i < field.length(); i++) {
      char c = field.charAt(i);
      if (c < '0' || c > '9') {
        out.append(c);
      }
    }
    return out.toString();
  }
}
