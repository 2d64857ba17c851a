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
 * The faults of one answer. A violation makes the answer unusable; a warning does not.
 *
 * <p>A mapping records all faults and then calls {@link #result}, which throws {@link
 * UnusableAnswerException} if there is a violation. No mapping throws another exception because of
 * an answer. The lists of violations and warnings are bounded, even for hostile answers. Not
 * thread-safe.
 */
public final class AnswerFindings {

  /** Maximum number of violations that are kept, and maximum number of warnings. */
  public static final int LIMIT = 64;

  private static final int QUOTE_LIMIT = 256;

  private final UnaryOperator<String> scrubber;

  // Most answers are valid, so the collections are created for the first fault.
  private List<Violation> violations = List.of();
  private List<Violation> warnings = List.of();
  private @Nullable Set<String> kindsOfWarnings;

  private @Nullable String created;

  /** Creates findings that use {@code scrubber} to remove secrets from the plugin's text. */
  public AnswerFindings(UnaryOperator<String> scrubber) {
    this.scrubber = scrubber;
  }

  /** Creates findings for answers to requests that carry no secret. */
  public AnswerFindings() {
    this(UnaryOperator.identity());
  }

  /** Returns empty findings for a part of the same answer that can be dropped if it is faulty. */
  public AnswerFindings forPart() {
    return new AnswerFindings(scrubber);
  }

  /** Records a fault that makes the answer unusable. */
  public void violation(String field, Rule rule, String detail) {
    if (violations.size() < LIMIT) {
      violations = with(violations, new Violation(field, rule, detail));
    }
  }

  /**
   * Records a fault that is tolerated. Only the first fault of each kind of field and rule is kept.
   */
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

  /** Adds the warnings of a part, unless the part was dropped. */
  public void addWarningsOf(AnswerFindings part) {
    part.warnings.forEach(this::warning);
  }

  /**
   * Records the id of the volume, snapshot or group that the call created. If the answer turns out
   * to be unusable, the caller must delete the object with this id. So a mapping records the id
   * only when it is certain that this call created the object.
   */
  public void created(String id) {
    created = id;
  }

  /**
   * Returns the id of an object that the call created and that cannot be used. Empty if the answer
   * is usable.
   */
  public Optional<String> created() {
    return isUsable() ? Optional.empty() : Optional.ofNullable(created);
  }

  /** Returns whether there is no violation. */
  public boolean isUsable() {
    return violations.isEmpty();
  }

  /** Returns the faults that make the answer unusable, in the order they were found. */
  public List<Violation> violations() {
    return List.copyOf(violations);
  }

  /** Returns the tolerated faults, in the order they were found. */
  public List<Violation> warnings() {
    return List.copyOf(warnings);
  }

  /** Returns the result of a usable answer. */
  public <T> T result(Supplier<T> result) {
    if (!isUsable()) {
      throw new UnusableAnswerException();
    }
    return result.get();
  }

  /** Returns the plugin's text without secrets. The result is neither escaped nor cut. */
  public String scrub(String foreign) {
    return scrubber.apply(foreign);
  }

  /**
   * Returns the plugin's text for use in a detail: without secrets, escaped, shortened and in
   * quotes.
   */
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
