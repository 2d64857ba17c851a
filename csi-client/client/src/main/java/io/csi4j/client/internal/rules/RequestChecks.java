package io.csi4j.client.internal.rules;

import com.google.protobuf.Message;
import io.csi4j.client.internal.proto.CapacityRange;
import io.csi4j.client.internal.proto.GetMetadataDeltaRequest;
import io.csi4j.client.internal.proto.Topology;
import io.csi4j.client.internal.proto.TopologyRequirement;
import io.csi4j.client.internal.redaction.SpecFields;
import io.csi4j.client.internal.rules.MessageRules.Choice;
import io.csi4j.client.internal.rules.MessageRules.Field;
import io.csi4j.client.internal.rules.MessageRules.Kind;
import io.csi4j.client.internal.text.FieldLimits;
import io.csi4j.client.internal.text.SafeText;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.Violation;
import io.csi4j.client.model.Violation.Rule;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.IntPredicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The checks of a request that the spec requires for all plugins.
 *
 * <p>The checks visit the fields in the descriptor of the message, so that the general rules
 * (Unicode, NUL, sizes, sign of numbers) apply to a new field without additional code.
 */
public final class RequestChecks {

  private static final int HARD_LIMIT = 1 << 20;
  private static final int FLAGS_LIMIT = 10_000;

  /** Initial capacity of the path: the deepest nesting of current messages. */
  private static final int DEEPEST = 4;

  /** Maximum number of findings of one kind. More findings would not help a reader. */
  private static final int FINDINGS_LIMIT = 100;

  private static final Set<CsiOperation> NAMING =
      EnumSet.of(
          CsiOperation.CREATE_VOLUME,
          CsiOperation.CREATE_SNAPSHOT,
          CsiOperation.CREATE_VOLUME_GROUP_SNAPSHOT);

  private static final Pattern LABEL =
      Pattern.compile("[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?");
  private static final Pattern PREFIX =
      Pattern.compile(
          "(?=.{1,63}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*");

  private final CsiOperation operation;
  private final KnownEntries known;
  // Requests are nearly always valid, so the lists are created for the first finding.
  private List<Violation> violations = List.of();
  private List<Violation> oversize = List.of();
  private List<Violation> remarks = List.of();

  /** The path of fields to the field that is being checked, which is the last element. */
  private final List<String> way = new ArrayList<>(DEEPEST);

  private RequestChecks(CsiOperation operation, KnownEntries known) {
    this.operation = operation;
    this.known = known;
  }

  /**
   * The findings.
   *
   * @param violations findings that keep the request from being sent
   * @param oversize values above the size limits of the spec; many plugins accept them nevertheless
   * @param remarks values that the spec allows, but that not every plugin must accept
   */
  public record Result(
      List<Violation> violations, List<Violation> oversize, List<Violation> remarks) {
    private static final Result NOTHING = new Result(List.of(), List.of(), List.of());
  }

  /**
   * Checks {@code request}, a generated message of {@code operation}.
   *
   * @param known entries that are not checked again
   */
  public static Result check(CsiOperation operation, Message request, KnownEntries known) {
    RequestChecks checks = new RequestChecks(operation, known);
    checks.message(request);
    if (request instanceof GetMetadataDeltaRequest delta) {
      checks.delta(delta);
    }
    return checks.violations.isEmpty() && checks.oversize.isEmpty() && checks.remarks.isEmpty()
        ? Result.NOTHING
        : new Result(
            List.copyOf(checks.violations),
            List.copyOf(checks.oversize),
            List.copyOf(checks.remarks));
  }

  private void message(Message message) {
    MessageRules rules = MessageRules.of(message);
    // This loop uses no iterators, because it runs on every call.
    List<Field> fields = rules.fields();
    for (int i = 0; i < fields.size(); i++) {
      way.add(fields.get(i).name());
      field(message, fields.get(i));
      way.remove(way.size() - 1);
    }
    List<Choice> choices = rules.choices();
    for (int i = 0; i < choices.size(); i++) {
      choice(message, choices.get(i));
    }
    if (message instanceof CapacityRange range) {
      capacity(range);
    } else if (message instanceof TopologyRequirement requirement) {
      topologyRequirement(requirement);
    } else if (message instanceof Topology place && place.getSegmentsCount() == 0) {
      refuse(Rule.REQUIRED, "has no segments: name one, or omit the place");
    }
  }

  private void field(Message message, Field field) {
    if (field.kind() == Kind.MAP && known.include(field)) {
      return;
    }
    if (field.isUnset(message)) {
      if (field.required()) {
        refuse(Rule.REQUIRED, "is not set");
      }
      return;
    }
    Object value = field.value().read(message);
    if (field.required() && isEmpty(value)) {
      refuse(Rule.REQUIRED, "is empty");
    } else if (field.kind() == Kind.MAP) {
      map(field, entries(value));
    } else if (field.kind() == Kind.FLAGS) {
      flags((List<?>) value);
    } else if (field.repeated()) {
      list(field, (List<?>) value);
    } else {
      value(field, value);
    }
  }

  /** Casts a map field; all map fields of the spec contain only texts. */
  @SuppressWarnings("unchecked")
  private static Map<String, String> entries(Object value) {
    return (Map<String, String>) value;
  }

  private void choice(Message message, Choice choice) {
    Field field = choice.made(message);
    if (field != null) {
      way.add(field.name());
      value(field, field.value().read(message));
      way.remove(way.size() - 1);
    } else if (choice.required()) {
      String choices =
          choice.in().getFields().stream().map(SpecFields::name).collect(Collectors.joining(", "));
      way.add(choice.in().getName());
      refuse(Rule.REQUIRED, "has none of " + choices);
      way.remove(way.size() - 1);
    }
  }

  private static boolean isEmpty(Object value) {
    return value.equals("")
        || (value instanceof Collection<?> elements && elements.isEmpty())
        || (value instanceof Map<?, ?> entries && entries.isEmpty());
  }

  private void list(Field field, List<?> elements) {
    for (int i = 0; i < elements.size(); i++) {
      way.set(way.size() - 1, field.name() + "[" + i + "]");
      if (field.required() && elements.get(i).equals("")) {
        refuse(Rule.REQUIRED, "is empty");
      } else {
        value(field, elements.get(i));
      }
    }
  }

  private void value(Field field, Object value) {
    switch (field.kind()) {
      case TEXT, NAME, NODE_ID, PATH, FS_TYPE -> text(field.kind(), (String) value);
      case MESSAGE -> message((Message) value);
      case NUMBER -> {
        if (((Number) value).longValue() < 0) {
          refuse(Rule.OUT_OF_RANGE, "is " + value + ", but CSI requires at least 0");
        }
      }
      case ENUM -> enumeration(field, (Integer) value);
      case MAP, FLAGS, OTHER -> {}
    }
  }

  private void enumeration(Field field, int number) {
    if (number == 0) {
      refuse(Rule.UNRECOGNIZED, "is not set");
    } else if (field.in().getEnumType().findValueByNumber(number) == null) {
      refuse(Rule.UNRECOGNIZED, "is " + number + ", which is unknown to CSI 1.13");
    }
  }

  private void text(Kind kind, String text) {
    int bytes = text.length();
    if (!SafeText.isPlain(text)) {
      characters("", text);
      bytes = SafeText.utf8Length(text);
    }
    if (kind == Kind.NAME && NAMING.contains(operation)) {
      banned(text);
    }
    if (kind == Kind.FS_TYPE) {
      fsType(text, bytes);
      return;
    }
    boolean isPath = kind == Kind.PATH;
    if (isPath && !text.isEmpty() && text.charAt(0) != '/') {
      refuse(Rule.NOT_ABSOLUTE, "does not begin with /");
    }
    int limit = kind == Kind.NODE_ID ? FieldLimits.NODE_ID : FieldLimits.TEXT;
    if (bytes > HARD_LIMIT) {
      refuse(Rule.TOO_LARGE, tooLarge(bytes, "bytes, at most ", HARD_LIMIT, " are sent"));
    } else if (bytes > limit && isPath) {
      remarks =
          with(
              remarks,
              Rule.TOO_LARGE,
              tooLarge(bytes, "bytes; plugins need not accept more than ", limit, ""));
    } else if (bytes > limit) {
      oversize = with(oversize, Rule.TOO_LARGE, tooLarge(bytes, "bytes; CSI allows ", limit, ""));
    }
  }

  private void characters(String entry, String text) {
    int nul = text.indexOf('\0');
    if (nul >= 0) {
      refuse(entry, Rule.NUL, "has a NUL at index " + nul);
    }
    int lone = SafeText.loneSurrogate(text);
    if (lone >= 0) {
      refuse(entry, Rule.NOT_UNICODE, "is not valid Unicode at index " + lone);
    }
  }

  private void banned(String text) {
    int index = indexOf(text, c -> Character.isISOControl(c) && "\0\t\n\r".indexOf(c) < 0);
    if (index >= 0) {
      refuse(
          Rule.CHARACTERS,
          String.format(
              "has U+%04X at index %d, which CSI forbids in names",
              (int) text.charAt(index), index));
    }
  }

  private void fsType(String text, int bytes) {
    // The value is passed to the command line of mkfs or mount.
    int index = indexOf(text, c -> c != 0 && !isLetterOrDigit(c) && "._+-".indexOf(c) < 0);
    if (index >= 0) {
      refuse(
          Rule.CHARACTERS, "has a character other than letters, digits and ._+- at index " + index);
    }
    if (bytes > FieldLimits.TEXT) {
      refuse(Rule.TOO_LARGE, tooLarge(bytes, "bytes; CSI allows ", FieldLimits.TEXT, ""));
    }
  }

  private void flags(List<?> flags) {
    long bytes = 0;
    for (int i = 0; i < flags.size(); i++) {
      String flag = (String) flags.get(i);
      if (SafeText.isPlain(flag)) {
        bytes += flag.length();
      } else {
        characters("[" + i + "]", flag);
        bytes += SafeText.utf8Length(flag);
      }
    }
    if (flags.size() > FLAGS_LIMIT) {
      refuse(Rule.TOO_LARGE, tooLarge(flags.size(), "entries, at most ", FLAGS_LIMIT, " are sent"));
    }
    total(bytes, "bytes in all", FieldLimits.MOUNT_FLAGS);
  }

  private void map(Field field, Map<String, String> entries) {
    if (entries.isEmpty()) {
      return;
    }
    long[] bytes = {0};
    // The method forEach of an unmodifiable map creates no objects, but an iterator over its
    // entries does.
    entries.forEach(
        (key, value) -> {
          boolean plain = SafeText.isPlain(key) && SafeText.isPlain(value);
          bytes[0] +=
              plain
                  ? key.length() + (long) value.length()
                  : SafeText.utf8Length(key) + (long) SafeText.utf8Length(value);
          if (!plain || field.topology() || (field.secret() && !isSecretKey(key))) {
            oddEntry(field, key, value);
          }
        });
    total(bytes[0], "bytes in keys and values", FieldLimits.MAP);
  }

  private void oddEntry(Field field, String key, String value) {
    String entry = "[\"" + SafeText.escape(key, FieldLimits.TEXT).replace("\"", "\\\"") + "\"]";
    if (key.indexOf('\0') >= 0) {
      refuse(entry, Rule.NUL, "has a NUL in its key at index " + key.indexOf('\0'));
    }
    if (SafeText.loneSurrogate(key) >= 0) {
      refuse(
          entry,
          Rule.NOT_UNICODE,
          "has a key that is not valid Unicode at index " + SafeText.loneSurrogate(key));
    }
    characters(entry, value);
    if (field.secret() && !isSecretKey(key)) {
      refuse(
          entry,
          Rule.CHARACTERS,
          key.isEmpty()
              ? "has an empty key"
              : "has a key with something other than letters, digits and -_.");
    }
    if (field.topology()) {
      label(entry, key, value);
    }
  }

  private void total(long bytes, String what, int limit) {
    if (bytes > HARD_LIMIT) {
      refuse(Rule.TOO_LARGE, tooLarge(bytes, what + ", at most ", HARD_LIMIT, " are sent"));
    } else if (bytes > limit) {
      oversize = with(oversize, Rule.TOO_LARGE, tooLarge(bytes, what + ", CSI allows ", limit, ""));
    }
  }

  /** Checks a label; labels come from the plugin, so an invalid one is not the caller's fault. */
  private void label(String entry, String key, String value) {
    int slash = key.indexOf('/');
    boolean prefixed = slash < 0 || isLabel(PREFIX, key.substring(0, slash));
    if (!prefixed || !isLabel(LABEL, key.substring(slash + 1))) {
      oversize =
          with(
              oversize,
              entry,
              Rule.CHARACTERS,
              "has a key that is not a valid topology key of CSI");
    }
    if (!isLabel(LABEL, value)) {
      oversize =
          with(
              oversize,
              entry,
              Rule.CHARACTERS,
              "has a value that is not a valid topology value of CSI");
    }
  }

  private static boolean isLabel(Pattern pattern, String text) {
    return text.length() <= 63 && pattern.matcher(text).matches();
  }

  private void capacity(CapacityRange range) {
    long required = range.getRequiredBytes();
    long limit = range.getLimitBytes();
    if (required == 0 && limit == 0) {
      refuse(Rule.REQUIRED, "has neither required_bytes nor limit_bytes");
    } else if (limit > 0 && required > limit) {
      refuse(Rule.OUT_OF_RANGE, "has required_bytes " + required + " above limit_bytes " + limit);
    }
  }

  private void topologyRequirement(TopologyRequirement requirement) {
    if (requirement.getRequisiteCount() + requirement.getPreferredCount() == 0) {
      refuse(Rule.REQUIRED, "has neither requisite nor preferred entries");
    }
    if (requirement.getRequisiteCount() == 0) {
      return;
    }
    Set<Map<String, String>> requisite = new HashSet<>();
    requirement.getRequisiteList().forEach(place -> requisite.add(folded(place)));
    for (int i = 0; i < requirement.getPreferredCount(); i++) {
      if (!requisite.contains(folded(requirement.getPreferred(i)))) {
        refuse(".preferred[" + i + "]", Rule.MISMATCH, "is not among the requisite entries");
      }
    }
  }

  private static Map<String, String> folded(Topology place) {
    Map<String, String> folded = new TreeMap<>();
    place.getSegmentsMap().forEach((key, value) -> folded.put(key.toLowerCase(Locale.ROOT), value));
    return folded;
  }

  private void delta(GetMetadataDeltaRequest delta) {
    String target = delta.getTargetSnapshotId();
    if (!target.isEmpty() && target.equals(delta.getBaseSnapshotId())) {
      refuse("target_snapshot_id", Rule.MISMATCH, "is the same as base_snapshot_id");
    }
  }

  private static int indexOf(String text, IntPredicate wanted) {
    for (int i = 0; i < text.length(); i++) {
      if (wanted.test(text.charAt(i))) {
        return i;
      }
    }
    return -1;
  }

  private static boolean isSecretKey(String key) {
    return !key.isEmpty() && indexOf(key, c -> !isLetterOrDigit(c) && "._-".indexOf(c) < 0) < 0;
  }

  private static boolean isLetterOrDigit(int c) {
    return c < 0x80 && Character.isLetterOrDigit(c);
  }

  private static String tooLarge(long actual, String what, int limit, String rest) {
    return "has " + actual + " " + what + limit + rest;
  }

  private void refuse(Rule rule, String detail) {
    refuse("", rule, detail);
  }

  private void refuse(String entry, Rule rule, String detail) {
    violations = with(violations, entry, rule, detail);
  }

  private List<Violation> with(List<Violation> findings, Rule rule, String detail) {
    return with(findings, "", rule, detail);
  }

  /**
   * Adds a finding. The text of the path is built only here, so that valid requests do not need it.
   */
  private List<Violation> with(List<Violation> findings, String entry, Rule rule, String detail) {
    if (findings.size() == FINDINGS_LIMIT) {
      return findings;
    }
    List<Violation> more = findings.isEmpty() ? new ArrayList<>() : findings;
    more.add(new Violation(String.join(".", way) + entry, rule, detail));
    return more;
  }
}
