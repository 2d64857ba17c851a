package io.csi4j.client;

import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.EnumDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.Descriptors.GenericDescriptor;
import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.Descriptors.OneofDescriptor;
import com.google.protobuf.Descriptors.ServiceDescriptor;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.UnknownFieldSet;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The wire contract of CSI 1.13 as rows, read from {@code wire.tsv} or from compiled descriptors,
 * with what 1.13 took away as rows of {@code wire-until-1.12.tsv}.
 *
 * <p>Both sides give the same rows when they agree, so that comparing them is comparing two bags of
 * rows. Map entries, which protobuf makes up, have no row.
 */
final class WireTable {

  static final List<String> COLUMNS =
      List.of(
          "kind",
          "parent",
          "name",
          "number",
          "label",
          "type",
          "type_kind",
          "oneof",
          "input",
          "output",
          "client_streaming",
          "server_streaming",
          "flags",
          "options_by_number");

  private WireTable() {}

  /** One element of the contract; the cells stand in the order of {@link #COLUMNS}. */
  record Row(List<String> cells) {

    Row {
      cells = List.copyOf(cells);
    }

    static Row of(String kind, Map<String, String> cells) {
      if (!COLUMNS.containsAll(cells.keySet())) {
        throw new IllegalArgumentException("Unknown column in " + cells.keySet());
      }
      return new Row(
          COLUMNS.stream()
              .map(column -> column.equals("kind") ? kind : cells.getOrDefault(column, ""))
              .toList());
    }

    String get(String column) {
      return cells.get(COLUMNS.indexOf(column));
    }

    boolean is(String kind) {
      return get("kind").equals(kind);
    }

    Row with(int column, String cell) {
      List<String> copy = new ArrayList<>(cells);
      copy.set(column, cell);
      return new Row(copy);
    }

    /** The row as a person reads it: empty cells left out. */
    @Override
    public String toString() {
      String parent = get("parent");
      String title = get("kind") + " " + (parent.isEmpty() ? "" : parent + ".") + get("name");
      return title
          + COLUMNS.stream()
              .skip(3)
              .filter(column -> !get(column).isEmpty())
              .map(column -> " " + column + "=" + get(column))
              .collect(Collectors.joining());
    }
  }

  /** The contract of 1.13, without the numbers that it reserves. */
  static List<Row> current() {
    return read("wire.tsv").filter(row -> !row.is("reserved")).toList();
  }

  /** The numbers that 1.13 reserves: of the parent, from and to. */
  static List<Row> reserved() {
    return read("wire.tsv").filter(row -> row.is("reserved")).toList();
  }

  /** What 1.13 took away and this library still reads. */
  static List<Row> untilOneTwelve() {
    return read("wire-until-1.12.tsv").toList();
  }

  /** What this library speaks: the contract of 1.13 and what that took away. */
  static List<Row> rows() {
    return Stream.concat(current().stream(), untilOneTwelve().stream()).toList();
  }

  private static Stream<Row> read(String name) {
    try (InputStream in = Objects.requireNonNull(WireTable.class.getResourceAsStream(name), name)) {
      List<String> lines = new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
      if (!Arrays.asList(lines.get(0).split("\t", -1)).equals(COLUMNS)) {
        throw new IllegalStateException(name + " has other columns: " + lines.get(0));
      }
      return lines.stream().skip(1).map(WireTable::row);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Row row(String line) {
    List<String> cells = Arrays.asList(line.split("\t", -1));
    if (cells.size() != COLUMNS.size()) {
      throw new IllegalStateException("A line has " + cells.size() + " cells: " + line);
    }
    return new Row(cells);
  }

  /** The rows of one kind. */
  static List<Row> rows(String kind) {
    return rows().stream().filter(row -> row.is(kind)).toList();
  }

  /** The rows of one kind below one parent. */
  static List<Row> rows(String kind, String parent) {
    return rows(kind).stream().filter(row -> row.get("parent").equals(parent)).toList();
  }

  /**
   * The rows that this file gives.
   *
   * @param specNames full field name in the file -> name in the spec, where the two differ
   */
  static List<Row> rows(FileDescriptor file, Map<String, String> specNames) {
    List<Row> rows = new ArrayList<>();
    FileDescriptorProto proto = file.toProto();
    rows.add(Row.of("package", Map.of("name", file.getPackage())));
    rows.add(Row.of("syntax", Map.of("name", proto.getSyntax())));
    proto
        .getDependencyList()
        .forEach(dependency -> rows.add(Row.of("import", Map.of("name", dependency))));
    file.getExtensions().forEach(extension -> rows.add(extension(extension)));
    file.getServices().forEach(service -> add(service, rows));
    file.getMessageTypes().forEach(message -> add(message, specNames, rows));
    file.getEnumTypes().forEach(type -> add(type, rows));
    return rows;
  }

  private static Row extension(FieldDescriptor extension) {
    return described(
        "extension",
        extension.getContainingType().getFullName(),
        extension,
        extension.getOptions(),
        shape(extension, extension.getName()));
  }

  private static void add(ServiceDescriptor service, List<Row> rows) {
    rows.add(named("service", service, service.getOptions()));
    for (MethodDescriptor method : service.getMethods()) {
      rows.add(
          described(
              "method",
              service.getFullName(),
              method,
              method.getOptions(),
              Map.of(
                  "name", method.getName(),
                  "input", method.getInputType().getFullName(),
                  "output", method.getOutputType().getFullName(),
                  "client_streaming", Boolean.toString(method.isClientStreaming()),
                  "server_streaming", Boolean.toString(method.isServerStreaming()))));
    }
  }

  private static void add(Descriptor message, Map<String, String> specNames, List<Row> rows) {
    if (message.getOptions().getMapEntry()) {
      return;
    }
    rows.add(named("message", message, message.getOptions()));
    for (FieldDescriptor field : message.getFields()) {
      rows.add(
          described(
              "field",
              message.getFullName(),
              field,
              field.getOptions(),
              shape(field, specNames.getOrDefault(field.getFullName(), field.getName()))));
    }
    message.getExtensions().forEach(extension -> rows.add(extension(extension)));
    message.getNestedTypes().forEach(nested -> add(nested, specNames, rows));
    message.getEnumTypes().forEach(nested -> add(nested, rows));
  }

  private static void add(EnumDescriptor type, List<Row> rows) {
    rows.add(named("enum", type, type.getOptions()));
    type.getValues()
        .forEach(
            value ->
                rows.add(
                    described(
                        "enum_value",
                        type.getFullName(),
                        value,
                        value.getOptions(),
                        Map.of(
                            "name", value.getName(),
                            "number", Integer.toString(value.getNumber())))));
  }

  private static Map<String, String> shape(FieldDescriptor field, String name) {
    Map<String, String> cells = new TreeMap<>();
    cells.put("name", name);
    cells.put("number", Integer.toString(field.getNumber()));
    cells.put("label", label(field));
    cells.put("type", type(field));
    cells.put("type_kind", kind(field));
    OneofDescriptor oneof = field.getContainingOneof();
    cells.put("oneof", oneof == null ? "" : oneof.getName());
    return cells;
  }

  private static String label(FieldDescriptor field) {
    if (field.isMapField()) {
      return "map";
    }
    if (field.isRepeated()) {
      return "repeated";
    }
    return field.toProto().getProto3Optional() ? "optional" : "singular";
  }

  private static String type(FieldDescriptor field) {
    if (field.isMapField()) {
      Descriptor entry = field.getMessageType();
      return "map<"
          + type(entry.findFieldByNumber(1))
          + ", "
          + type(entry.findFieldByNumber(2))
          + ">";
    }
    return switch (field.getType()) {
      case MESSAGE, GROUP -> field.getMessageType().getFullName();
      case ENUM -> field.getEnumType().getFullName();
      default -> field.getType().name().toLowerCase(Locale.ROOT);
    };
  }

  private static String kind(FieldDescriptor field) {
    if (field.isMapField()) {
      return "map";
    }
    return switch (field.getType()) {
      case MESSAGE -> "message";
      case GROUP -> "group";
      case ENUM -> "enum";
      default -> "scalar";
    };
  }

  /** A row that is known by its full name and has no parent. */
  private static Row named(String kind, GenericDescriptor element, Message options) {
    return described(kind, "", element, options, Map.of("name", element.getFullName()));
  }

  private static Row described(
      String kind,
      String parent,
      GenericDescriptor element,
      Message options,
      Map<String, String> cells) {
    UnknownFieldSet byNumber = byNumber(options);
    Map<Integer, String> names =
        element.getFile().getExtensions().stream()
            .filter(
                extension ->
                    extension
                        .getContainingType()
                        .getFullName()
                        .equals(options.getDescriptorForType().getFullName()))
            .collect(Collectors.toMap(FieldDescriptor::getNumber, FieldDescriptor::getName));
    Map<String, String> all = new TreeMap<>(cells);
    all.put("parent", parent);
    all.put(
        "flags",
        byNumber.asMap().keySet().stream()
            .map(number -> names.getOrDefault(number, "?"))
            .collect(Collectors.joining(",")));
    all.put(
        "options_by_number",
        byNumber.asMap().entrySet().stream()
            .flatMap(
                option -> values(option.getValue()).map(value -> option.getKey() + "=" + value))
            .collect(Collectors.joining(";")));
    return Row.of(kind, all);
  }

  /** The options as they are stored, whether or not this program has a name for them. */
  private static UnknownFieldSet byNumber(Message options) {
    try {
      return UnknownFieldSet.parseFrom(options.toByteString());
    } catch (InvalidProtocolBufferException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Stream<String> values(UnknownFieldSet.Field option) {
    return Stream.<Collection<?>>of(
            option.getVarintList(),
            option.getFixed32List(),
            option.getFixed64List(),
            option.getLengthDelimitedList(),
            option.getGroupList())
        .flatMap(Collection::stream)
        .map(Object::toString);
  }

  /** What has to change in {@code actual} to make it {@code expected}, one line per row, sorted. */
  static List<String> differences(Collection<Row> expected, Collection<Row> actual) {
    Map<String, Integer> balance = new TreeMap<>();
    expected.forEach(row -> balance.merge(row.toString(), 1, Integer::sum));
    actual.forEach(row -> balance.merge(row.toString(), -1, Integer::sum));
    return balance.entrySet().stream()
        .filter(entry -> entry.getValue() != 0)
        .map(entry -> (entry.getValue() > 0 ? "missing: " : "extra:   ") + entry.getKey())
        .toList();
  }
}
