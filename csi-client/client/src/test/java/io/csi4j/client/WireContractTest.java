package io.csi4j.client;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.DescriptorProtos.DescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.DescriptorProtos.OneofDescriptorProto;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.DescriptorValidationException;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.Message;
import com.google.protobuf.UnknownFieldSet;
import io.csi4j.client.WireTable.Row;
import io.csi4j.client.controller.ControllerCapability;
import io.csi4j.client.group.GroupControllerCapability;
import io.csi4j.client.identity.PluginCapability;
import io.csi4j.client.internal.proto.CsiProto;
import io.csi4j.client.metadata.BlockMetadataBatch;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.StorageHealthEntry;
import io.csi4j.client.model.VolumeHealthEntry;
import io.csi4j.client.node.NodeCapability;
import io.csi4j.client.node.VolumeStats;
import io.csi4j.client.scripted.Wire;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The compiled wire, and the public words for it, against the table of the spec. */
class WireContractTest {

  /**
   * Full field name in our file -> name in the spec. Nothing but the name differs, and names do not
   * travel: protobuf's Java accessors of the fields "parameters" and "mutable_parameters" clash.
   */
  private static final Map<String, String> SPEC_NAMES =
      Map.of(
          "csi.v1.CreateVolumeRequest.mutable_params", "mutable_parameters",
          "csi.v1.ValidateVolumeCapabilitiesRequest.mutable_params", "mutable_parameters",
          "csi.v1.ValidateVolumeCapabilitiesResponse.Confirmed.mutable_params",
              "mutable_parameters");

  private static final String KEPT_MESSAGE = "csi.v1.VolumeCondition";

  private static final List<Row> TABLE = WireTable.rows();
  private static final FileDescriptor FILE = CsiProto.getDescriptor();

  @Test
  void theCompiledDescriptorsAreTheTableOfTheSpecNothingMissingAndNothingExtra() {
    assertThat(WireTable.differences(TABLE, WireTable.rows(FILE, SPEC_NAMES))).isEmpty();
  }

  @Test
  void theTableIsTheWholeOfCsi() {
    Map<String, Long> perKind =
        WireTable.current().stream()
            .collect(Collectors.groupingBy(row -> row.get("kind"), Collectors.counting()));

    assertThat(perKind)
        .containsEntry("service", 5L)
        .containsEntry("method", 36L)
        .containsEntry("message", 104L)
        .containsEntry("field", 216L)
        .containsEntry("extension", 7L)
        .containsEntry("package", 1L)
        .containsEntry("syntax", 1L)
        .containsEntry("import", 3L);
  }

  @Test
  void eachReservedNumberIsKeptAndNothingElseIs() {
    List<String> reserved =
        WireTable.reserved().stream()
            .peek(row -> assertThat(row.get("number")).matches("(\\d+)-\\1"))
            .map(row -> row.get("parent") + " " + row.get("number").replaceFirst("-.*", ""))
            .toList();
    List<Row> kept = WireTable.untilOneTwelve();

    assertThat(reserved)
        .hasSize(5)
        .containsExactlyInAnyOrderElementsOf(
            kept.stream()
                .filter(row -> !row.is("message") && !isPartOfKeptMessage(row))
                .map(row -> row.get("parent") + " " + row.get("number"))
                .toList());
    assertThat(kept.stream().filter(row -> row.is("message")).map(row -> row.get("name")))
        .containsExactly(KEPT_MESSAGE);
    assertThat(WireTable.current())
        .noneMatch(
            row -> row.get("name").equals(KEPT_MESSAGE) || row.get("type").equals(KEPT_MESSAGE));
  }

  private static boolean isPartOfKeptMessage(Row row) {
    return row.get("parent").equals(KEPT_MESSAGE);
  }

  @Test
  void noRequestHoldsWhatOneThirteenTookAway() {
    Set<String> kept =
        WireTable.untilOneTwelve().stream()
            .filter(row -> row.is("field"))
            .map(row -> row.get("parent") + "." + row.get("name"))
            .collect(Collectors.toSet());
    for (CsiOperation operation : CsiOperation.values()) {
      assertThat(
              reached(Wire.request(operation).getDescriptorForType())
                  .map(FieldDescriptor::getFullName))
          .as(operation.rpcName())
          .doesNotContainAnyElementsOf(kept);
    }
    assertThat(
            reached(Wire.response(CsiOperation.LIST_VOLUMES).getDescriptorForType())
                .map(FieldDescriptor::getFullName))
        .containsAnyElementsOf(kept);
  }

  private static Stream<FieldDescriptor> reached(Descriptor type) {
    return type.getFields().stream()
        .flatMap(
            field ->
                field.getJavaType() == FieldDescriptor.JavaType.MESSAGE
                    ? Stream.concat(Stream.of(field), reached(field.getMessageType()))
                    : Stream.of(field));
  }

  @Test
  void everyListedNameDiffersFromTheSpecAndExists() {
    SPEC_NAMES.forEach(
        (ours, theirs) -> {
          int dot = ours.lastIndexOf('.');
          assertThat(ours.substring(dot + 1)).isNotEqualTo(theirs);
          assertThat(fields().map(FieldDescriptor::getFullName)).contains(ours);
          assertThat(WireTable.rows("field", ours.substring(0, dot)))
              .anyMatch(row -> row.get("name").equals(theirs));
        });
  }

  @Test
  void aNameThatIsNotListedIsADifference() {
    for (String ours : SPEC_NAMES.keySet()) {
      Map<String, String> fewer = new TreeMap<>(SPEC_NAMES);
      fewer.remove(ours);
      assertThat(WireTable.differences(TABLE, WireTable.rows(FILE, fewer)))
          .as(ours)
          .hasSize(2)
          .anyMatch(
              line -> line.startsWith("missing: field") && line.contains("mutable_parameters"))
          .anyMatch(line -> line.startsWith("extra:   field") && line.contains("mutable_params"));
    }
  }

  @Test
  void theJsonNameOfEveryFieldIsTheOneOfTheSpec() {
    assertThat(fields())
        .allSatisfy(
            field -> {
              String specName = SPEC_NAMES.getOrDefault(field.getFullName(), field.getName());
              assertThat(field.getJsonName()).isEqualTo(lowerCamel(specName));
            });
  }

  @Test
  void theFileOptionsAreTheThreeThatJavaNeeds() {
    assertThat(FILE.getOptions().getAllFields().keySet().stream().map(FieldDescriptor::getName))
        .containsExactlyInAnyOrder("java_package", "java_outer_classname", "java_multiple_files");
    assertThat(FILE.getOptions().getUnknownFields().asMap()).isEmpty();
    assertThat(FILE.getOptions().getJavaPackage()).isEqualTo("io.csi4j.client.internal.proto");
  }

  @Test
  void noElementUsesWhatTheTableCannotSay() {
    for (Descriptor message : allMessages()) {
      DescriptorProto proto = message.toProto();
      assertThat(proto.getExtensionRangeCount()).as(message.getFullName()).isZero();
      assertThat(proto.getReservedRangeCount()).as(message.getFullName()).isZero();
      assertThat(proto.getReservedNameCount()).as(message.getFullName()).isZero();
    }
    assertThat(fields()).noneMatch(FieldDescriptor::hasDefaultValue);
    assertThat(FILE.toProto().getPublicDependencyCount()).isZero();
  }

  @Tag("campaign")
  @Test
  void droppingAnyRowOfTheTableIsADifferenceThatNamesTheRow() {
    List<Row> compiled = WireTable.rows(FILE, SPEC_NAMES);
    for (int i = 0; i < TABLE.size(); i++) {
      List<Row> fewer = new ArrayList<>(TABLE);
      Row dropped = fewer.remove(i);
      assertThat(WireTable.differences(fewer, compiled)).containsExactly("extra:   " + dropped);
    }
  }

  @Tag("campaign")
  @Test
  void changingAnyCellOfTheTableIsADifference() {
    List<Row> compiled = WireTable.rows(FILE, SPEC_NAMES);
    for (int i = 0; i < TABLE.size(); i++) {
      for (int column = 0; column < WireTable.COLUMNS.size(); column++) {
        Row row = TABLE.get(i);
        Row changed = row.with(column, row.cells().get(column) + "9");
        List<Row> other = new ArrayList<>(TABLE);
        other.set(i, changed);
        assertThat(WireTable.differences(other, compiled))
            .containsExactlyInAnyOrder("extra:   " + row, "missing: " + changed);
      }
    }
  }

  @Tag("campaign")
  @Test
  void removingAnyElementOfTheFileIsADifference() {
    List<FileDescriptorProto> smaller = new ArrayList<>();
    FileDescriptorProto.Builder file = FILE.toProto().toBuilder();
    removals(file, () -> smaller.add(file.build()));

    assertThat(smaller).hasSizeGreaterThan(TABLE.size());
    for (FileDescriptorProto proto : smaller) {
      try {
        assertThat(WireTable.differences(TABLE, WireTable.rows(compile(proto), SPEC_NAMES)))
            .isNotEmpty();
      } catch (DescriptorValidationException e) {
        // Not a file at all: something else refers to the element, so it cannot be lost unseen.
        assertThat(e.getDescription()).contains("is not defined");
      }
    }
  }

  @Test
  void addingAnOptionWithoutANameIsADifference() throws DescriptorValidationException {
    FileDescriptorProto.Builder file = FILE.toProto().toBuilder();
    file.getMessageTypeBuilder(0)
        .getOptionsBuilder()
        .setUnknownFields(
            UnknownFieldSet.newBuilder()
                .addField(4711, UnknownFieldSet.Field.newBuilder().addVarint(1).build())
                .build());

    assertThat(WireTable.differences(TABLE, WireTable.rows(compile(file.build()), SPEC_NAMES)))
        .hasSize(2)
        .anyMatch(line -> line.contains("4711=1"));
  }

  @Test
  void theOperationsAreTheMethodsOfTheSpec() {
    assertThat(Arrays.stream(CsiOperation.values()).map(CsiOperation::fullName))
        .hasSize(36)
        .containsExactlyElementsOf(
            WireTable.rows("method").stream()
                .map(row -> row.get("parent") + "/" + row.get("name"))
                .toList());
    for (CsiOperation operation : CsiOperation.values()) {
      assertThat(operation.name()).isEqualTo(upperSnake(operation.rpcName()));
      assertThat(CsiOperation.ofRpcName(operation.rpcName())).contains(operation);
    }
  }

  @Test
  void theServicesAreTheServicesOfTheSpec() {
    assertThat(Arrays.stream(CsiOperation.Service.values()).map(CsiOperation.Service::fullName))
        .containsExactlyElementsOf(
            WireTable.rows("service").stream().map(row -> row.get("name")).toList());
  }

  @Test
  void thePublicCapabilitiesAreThoseOfTheSpecWithTheirNumbers() {
    assertThat(numbers(ControllerCapability.values(), ControllerCapability::number))
        .isEqualTo(specNumbers("csi.v1.ControllerServiceCapability.RPC.Type"));
    assertThat(numbers(NodeCapability.values(), NodeCapability::number))
        .isEqualTo(specNumbers("csi.v1.NodeServiceCapability.RPC.Type"));
    assertThat(numbers(GroupControllerCapability.values(), GroupControllerCapability::number))
        .isEqualTo(specNumbers("csi.v1.GroupControllerServiceCapability.RPC.Type"));
  }

  @Test
  void thePublicPluginCapabilitiesAreBothEnumsOfTheSpec() {
    assertThat(Arrays.stream(PluginCapability.values()).map(Enum::name))
        .containsExactlyElementsOf(
            Stream.concat(
                    specNumbers("csi.v1.PluginCapability.Service.Type").keySet().stream(),
                    specNumbers("csi.v1.PluginCapability.VolumeExpansion.Type").keySet().stream()
                        .map(name -> "VOLUME_EXPANSION_" + name))
                .toList());
  }

  @Test
  void theOtherPublicEnumsAreThoseOfTheSpec() {
    assertThat(names(AccessMode.values(), Set.of("UNSPECIFIED", "UNRECOGNIZED")))
        .containsExactlyElementsOf(specNumbers("csi.v1.VolumeCapability.AccessMode.Mode").keySet());
    assertThat(names(BlockMetadataBatch.Type.values(), Set.of("UNRECOGNIZED")))
        .containsExactlyElementsOf(specNumbers("csi.v1.BlockMetadataType").keySet());
    assertThat(names(VolumeStats.Usage.Unit.values(), Set.of("UNRECOGNIZED")))
        .containsExactlyElementsOf(specNumbers("csi.v1.VolumeUsage.Unit").keySet());
    assertThat(numbers(VolumeHealthEntry.Status.values(), VolumeHealthEntry.Status::number))
        .isEqualTo(withUnrecognized(specNumbers("csi.v1.VolumeHealthErrorType")));
    assertThat(numbers(StorageHealthEntry.Status.values(), StorageHealthEntry.Status::number))
        .isEqualTo(withUnrecognized(specNumbers("csi.v1.StorageHealthErrorType")));
  }

  @Test
  void everyEnumOfTheSpecHasItsPublicEnum() {
    assertThat(WireTable.rows("enum").stream().map(row -> row.get("name")))
        .containsExactlyInAnyOrder(
            "csi.v1.ControllerServiceCapability.RPC.Type",
            "csi.v1.NodeServiceCapability.RPC.Type",
            "csi.v1.GroupControllerServiceCapability.RPC.Type",
            "csi.v1.PluginCapability.Service.Type",
            "csi.v1.PluginCapability.VolumeExpansion.Type",
            "csi.v1.VolumeCapability.AccessMode.Mode",
            "csi.v1.BlockMetadataType",
            "csi.v1.VolumeUsage.Unit",
            "csi.v1.VolumeHealthErrorType",
            "csi.v1.StorageHealthErrorType");
  }

  private static Map<String, Integer> withUnrecognized(Map<String, Integer> numbers) {
    Map<String, Integer> all = new LinkedHashMap<>(numbers);
    all.put("UNRECOGNIZED", 0);
    return all;
  }

  /** Name -> number, without the zero whose name begins with UNKNOWN, in spec order. */
  private static Map<String, Integer> specNumbers(String enumName) {
    Map<String, Integer> numbers = new LinkedHashMap<>();
    for (Row row : WireTable.rows("enum_value", enumName)) {
      numbers.put(row.get("name"), Integer.valueOf(row.get("number")));
    }
    Map.Entry<String, Integer> first = numbers.entrySet().iterator().next();
    assertThat(first.getKey()).as(enumName).startsWith("UNKNOWN");
    assertThat(numbers.remove(first.getKey())).as(enumName).isEqualTo(0);
    return numbers;
  }

  private static <E extends Enum<E>> Map<String, Integer> numbers(
      E[] values, ToIntFunction<E> number) {
    return Arrays.stream(values).collect(Collectors.toMap(Enum::name, number::applyAsInt));
  }

  private static List<String> names(Enum<?>[] values, Set<String> without) {
    return Arrays.stream(values).map(Enum::name).filter(name -> !without.contains(name)).toList();
  }

  private static FileDescriptor compile(FileDescriptorProto proto)
      throws DescriptorValidationException {
    return FileDescriptor.buildFrom(proto, FILE.getDependencies().toArray(FileDescriptor[]::new));
  }

  private static Stream<FieldDescriptor> fields() {
    return allMessages().stream().flatMap(message -> message.getFields().stream());
  }

  private static List<Descriptor> allMessages() {
    List<Descriptor> all = new ArrayList<>(FILE.getMessageTypes());
    for (int i = 0; i < all.size(); i++) {
      all.get(i).getNestedTypes().stream()
          .filter(nested -> !nested.getOptions().getMapEntry())
          .forEach(all::add);
    }
    return all;
  }

  /** The JSON name that protobuf derives from this field name. */
  private static String lowerCamel(String name) {
    StringBuilder out = new StringBuilder();
    for (String word : name.split("_", -1)) {
      out.append(out.isEmpty() ? word : Character.toUpperCase(word.charAt(0)) + word.substring(1));
    }
    return out.toString();
  }

  private static String upperSnake(String rpcName) {
    return rpcName.replaceAll("(?<=[a-z])(?=[A-Z])", "_").toUpperCase(Locale.ROOT);
  }

  /**
   * Takes every element that the file has out of {@code message}, one at a time, tells {@code each}
   * and puts it back. Elements are what a repeated field of a descriptor holds, and options.
   */
  private static void removals(Message.Builder message, Runnable each) {
    for (FieldDescriptor field : message.getDescriptorForType().getFields()) {
      if (field.getJavaType() == FieldDescriptor.JavaType.MESSAGE && !isOptions(field)) {
        if (!field.isRepeated()) {
          continue;
        }
        List<Object> elements = List.copyOf((List<?>) message.getField(field));
        for (int i = 0; i < elements.size(); i++) {
          if (!isMadeUp(elements.get(i))) {
            List<Object> fewer = new ArrayList<>(elements);
            fewer.remove(i);
            message.setField(field, fewer);
            each.run();
            message.setField(field, elements);
            removals(message.getRepeatedFieldBuilder(field, i), each);
          }
        }
      } else if (isOptions(field)
          && message.hasField(field)
          && !(message instanceof FileDescriptorProto.Builder)) {
        Object options = message.getField(field);
        message.clearField(field);
        each.run();
        message.setField(field, options);
      }
    }
  }

  private static boolean isOptions(FieldDescriptor field) {
    return field.getName().equals("options");
  }

  /**
   * Whether this is no element by itself: the entry of a map, or a oneof, which its fields carry.
   */
  private static boolean isMadeUp(Object element) {
    return element instanceof OneofDescriptorProto
        || (element instanceof DescriptorProto message && message.getOptions().getMapEntry());
  }
}
