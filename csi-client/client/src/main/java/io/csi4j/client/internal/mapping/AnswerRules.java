package io.csi4j.client.internal.mapping;

import com.google.protobuf.Timestamp;
import io.csi4j.client.internal.text.FieldLimits;
import io.csi4j.client.internal.text.SafeText;
import io.csi4j.client.model.Violation;
import io.csi4j.client.model.Violation.Rule;
import java.time.Instant;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The rules shared by the answers of all services. Real plugins exceed the limits of the spec, so
 * each size has two limits. An answer above the first limit causes a warning; an answer above the
 * second limit is refused.
 */
public final class AnswerRules {

  /** Maximum bytes of an id; a longer one is refused. */
  public static final int ID_HARD_LIMIT = 4096;

  /** Maximum bytes of a map; a larger one is refused. */
  public static final int MAP_HARD_LIMIT = 64 * 1024;

  /** Maximum number of labels of a place; a larger number causes a warning. */
  public static final int SEGMENT_LIMIT = 64;

  /** The first instant of the year 10000. */
  private static final long END_OF_TIME = 253_402_300_800L;

  private static final Pattern TOPOLOGY_NAME =
      Pattern.compile("[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?");
  private static final Pattern TOPOLOGY_PREFIX_LABEL =
      Pattern.compile("[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?");

  private AnswerRules() {}

  /** Records that a required field is absent. The caller throws the returned exception. */
  public static UnusableAnswerException absent(AnswerFindings findings, String field) {
    findings.violation(field, Rule.REQUIRED, "is absent");
    return new UnusableAnswerException();
  }

  /** Returns whether {@code id} is a possible id. */
  public static boolean isId(String id) {
    return brokenIdRule("", id).isEmpty();
  }

  /**
   * Checks an id, except node ids, which have another limit. Returns whether the id can be used.
   */
  public static boolean id(AnswerFindings findings, String field, String id) {
    return id(findings, field, id, FieldLimits.TEXT);
  }

  /** Checks an id against this limit. Returns whether the id can be used. */
  public static boolean id(AnswerFindings findings, String field, String id, int limit) {
    Optional<Violation> broken = brokenIdRule(field, id);
    if (broken.isPresent()) {
      Violation violation = broken.get();
      findings.violation(violation.field(), violation.rule(), violation.detail());
      return false;
    }
    int bytes = SafeText.utf8Length(id);
    if (bytes > limit) {
      findings.warning(
          field, Rule.TOO_LARGE, "has " + bytes + " bytes; the spec allows " + limit + " bytes");
    }
    return true;
  }

  /** Returns the rule that {@code id} breaks, if any. */
  public static Optional<Violation> brokenIdRule(String field, String id) {
    if (id.isEmpty()) {
      return Optional.of(new Violation(field, Rule.REQUIRED, "is empty"));
    }
    if (id.length() > ID_HARD_LIMIT || SafeText.utf8Length(id) > ID_HARD_LIMIT) {
      return Optional.of(
          new Violation(
              field,
              Rule.TOO_LARGE,
              "has "
                  + SafeText.utf8Length(id)
                  + " bytes; up to "
                  + ID_HARD_LIMIT
                  + " bytes are accepted"));
    }
    int nul = id.indexOf('\0');
    if (nul >= 0) {
      return Optional.of(new Violation(field, Rule.NUL, "holds a NUL at " + nul));
    }
    int lone = SafeText.loneSurrogate(id);
    if (lone >= 0) {
      return Optional.of(new Violation(field, Rule.NOT_UNICODE, "has a lone surrogate at " + lone));
    }
    return Optional.empty();
  }

  /** Checks that the subject of the answer is the subject of the request. */
  public static void same(AnswerFindings findings, String field, String asked, String answered) {
    if (!asked.equals(answered)) {
      findings.violation(
          field,
          Rule.MISMATCH,
          "is " + findings.quote(answered) + "; requested: " + findings.quote(asked));
    }
  }

  /**
   * Checks the total size of the keys and values of a map. The findings never show the contents of
   * the map.
   */
  public static void map(AnswerFindings findings, String field, Map<String, String> map) {
    long bytes = SafeText.utf8Length(map);
    if (bytes > MAP_HARD_LIMIT) {
      findings.violation(
          field,
          Rule.TOO_LARGE,
          "has " + bytes + " bytes; up to " + MAP_HARD_LIMIT + " bytes are accepted");
    } else if (bytes > FieldLimits.MAP) {
      findings.warning(
          field,
          Rule.TOO_LARGE,
          "has " + bytes + " bytes; the spec allows " + FieldLimits.MAP + " bytes");
    }
  }

  /** Checks a size in bytes; zero means that the size is unknown. */
  public static OptionalLong size(AnswerFindings findings, String field, long bytes) {
    if (bytes < 0) {
      findings.violation(field, Rule.OUT_OF_RANGE, negative(bytes));
      return OptionalLong.empty();
    }
    return ValueMapping.unlessZero(bytes);
  }

  /**
   * Returns a size. An impossible size becomes unknown, with a warning, so that the rest of the
   * answer stays usable.
   */
  public static OptionalLong sizeOrUnknown(AnswerFindings findings, String field, long bytes) {
    if (bytes < 0) {
      findings.warning(field, Rule.OUT_OF_RANGE, negative(bytes));
      return OptionalLong.empty();
    }
    return ValueMapping.unlessZero(bytes);
  }

  /** Returns the detail of a finding for a negative number. */
  public static String negative(long value) {
    return "is " + value + "; it cannot be negative";
  }

  /** Checks that a size, if known, is within the requested range. */
  public static void within(
      AnswerFindings findings,
      String field,
      OptionalLong bytes,
      io.csi4j.client.internal.proto.CapacityRange asked) {
    if (bytes.isEmpty()) {
      return;
    }
    ValueMapping.fromProto(asked)
        .filter(range -> !range.contains(bytes.getAsLong()))
        .ifPresent(
            range ->
                findings.violation(
                    field, Rule.OUT_OF_RANGE, "is " + bytes.getAsLong() + "; requested: " + range));
  }

  /** Returns a time between 1970 and 9999; otherwise records a warning and returns empty. */
  public static Optional<Instant> time(
      AnswerFindings findings, String field, boolean present, Timestamp time) {
    if (!present) {
      findings.warning(field, Rule.REQUIRED, "is absent");
      return Optional.empty();
    }
    boolean possible =
        time.getSeconds() >= 0
            && time.getSeconds() < END_OF_TIME
            && time.getNanos() >= 0
            && time.getNanos() <= 999_999_999;
    if (!possible) {
      findings.warning(
          field,
          Rule.OUT_OF_RANGE,
          "is not a time between 1970 and 9999: "
              + time.getSeconds()
              + " seconds and "
              + time.getNanos()
              + " nanoseconds");
      return Optional.empty();
    }
    return Optional.of(Instant.ofEpochSecond(time.getSeconds(), time.getNanos()));
  }

  /** Returns the token of the next page; empty on the last page. */
  public static Optional<String> token(String token) {
    return token.isEmpty() ? Optional.empty() : Optional.of(token);
  }

  /** Checks the labels of a place. Only an absurd size makes the place unusable. */
  public static void topology(
      AnswerFindings findings, String field, io.csi4j.client.internal.proto.Topology topology) {
    String segments = field + ".segments";
    Map<String, String> labels = topology.getSegmentsMap();
    map(findings, segments, labels);
    if (labels.size() > SEGMENT_LIMIT) {
      findings.warning(
          segments,
          Rule.TOO_LARGE,
          "has " + labels.size() + " labels; expected are at most " + SEGMENT_LIMIT);
      return;
    }
    Set<String> folded = new HashSet<>();
    Set<String> prefixes = new HashSet<>();
    labels.forEach(
        (key, value) -> {
          int slash = key.indexOf('/');
          String prefix = slash < 0 ? "" : key.substring(0, slash);
          prefixes.add(prefix);
          if (!TOPOLOGY_NAME.matcher(key.substring(slash + 1)).matches()
              || (slash >= 0 && !isTopologyPrefix(prefix))) {
            findings.warning(
                segments,
                Rule.CHARACTERS,
                "has the key "
                    + findings.quote(key)
                    + "; a key is an optional lower-case domain and a slash, then up to 63 letters,"
                    + " digits, dashes, underscores and dots with a letter or digit at both ends");
          } else if (!TOPOLOGY_NAME.matcher(value).matches()) {
            findings.warning(
                segments,
                Rule.CHARACTERS,
                "has for the key "
                    + findings.quote(key)
                    + " the value "
                    + findings.quote(value)
                    + "; a value is up to 63 letters, digits, dashes, underscores and dots with a"
                    + " letter or digit at both ends");
          }
          if (!folded.add(key.toLowerCase(Locale.ROOT))) {
            findings.warning(
                segments,
                Rule.MISMATCH,
                "has the key " + findings.quote(key) + " twice, in different case");
          }
        });
    if (prefixes.size() > 1) {
      findings.warning(
          segments,
          Rule.MISMATCH,
          "has keys with different prefixes; the spec wants one prefix for all keys of a plugin");
    }
  }

  private static boolean isTopologyPrefix(String prefix) {
    if (prefix.length() > 63) {
      return false;
    }
    for (String label : prefix.split("\\.", -1)) {
      if (!TOPOLOGY_PREFIX_LABEL.matcher(label).matches()) {
        return false;
      }
    }
    return true;
  }
}
