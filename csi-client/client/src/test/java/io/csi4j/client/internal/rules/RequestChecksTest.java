package io.csi4j.client.internal.rules;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import io.csi4j.client.internal.mapping.NodeRequestMapping;
import io.csi4j.client.internal.proto.CapacityRange;
import io.csi4j.client.internal.proto.ControllerExpandVolumeRequest;
import io.csi4j.client.internal.proto.ControllerModifyVolumeRequest;
import io.csi4j.client.internal.proto.ControllerPublishVolumeRequest;
import io.csi4j.client.internal.proto.CreateSnapshotRequest;
import io.csi4j.client.internal.proto.CreateVolumeGroupSnapshotRequest;
import io.csi4j.client.internal.proto.CreateVolumeRequest;
import io.csi4j.client.internal.proto.CsiProto;
import io.csi4j.client.internal.proto.DeleteVolumeRequest;
import io.csi4j.client.internal.proto.GetCapacityRequest;
import io.csi4j.client.internal.proto.GetMetadataAllocatedRequest;
import io.csi4j.client.internal.proto.GetMetadataDeltaRequest;
import io.csi4j.client.internal.proto.ListVolumesRequest;
import io.csi4j.client.internal.proto.NodeGetVolumeHealthRequest;
import io.csi4j.client.internal.proto.NodePublishVolumeRequest;
import io.csi4j.client.internal.proto.NodeStageVolumeRequest;
import io.csi4j.client.internal.proto.Topology;
import io.csi4j.client.internal.proto.TopologyRequirement;
import io.csi4j.client.internal.proto.VolumeCapability;
import io.csi4j.client.internal.proto.VolumeCapability.AccessMode;
import io.csi4j.client.internal.proto.VolumeCapability.BlockVolume;
import io.csi4j.client.internal.proto.VolumeCapability.MountVolume;
import io.csi4j.client.internal.proto.VolumeContentSource;
import io.csi4j.client.internal.redaction.SpecFields;
import io.csi4j.client.internal.rules.RequestChecks.Result;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.MountOptions;
import io.csi4j.client.model.PluginPath;
import io.csi4j.client.model.PublishContext;
import io.csi4j.client.model.Secrets;
import io.csi4j.client.model.Violation;
import io.csi4j.client.model.Violation.Rule;
import io.csi4j.client.model.VolumeContext;
import io.csi4j.client.model.VolumeId;
import io.csi4j.client.scripted.RandomMessages;
import io.csi4j.client.scripted.Wire;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class RequestChecksTest {

  private static final VolumeCapability BLOCK =
      capability(AccessMode.Mode.SINGLE_NODE_WRITER).setBlock(BlockVolume.newBuilder()).build();

  private static VolumeCapability.Builder capability(AccessMode.Mode mode) {
    return VolumeCapability.newBuilder().setAccessMode(AccessMode.newBuilder().setMode(mode));
  }

  private static VolumeCapability mount(MountVolume.Builder mount) {
    return capability(AccessMode.Mode.MULTI_NODE_MULTI_WRITER).setMount(mount).build();
  }

  private static CreateVolumeRequest.Builder createVolume() {
    return CreateVolumeRequest.newBuilder().setName("pvc-1").addVolumeCapabilities(BLOCK);
  }

  private static NodeStageVolumeRequest.Builder stage(MountVolume.Builder mount) {
    return NodeStageVolumeRequest.newBuilder()
        .setVolumeId("vol-1")
        .setStagingTargetPath("/stage")
        .setVolumeCapability(mount(mount));
  }

  private static Result check(Message.Builder request) {
    return check(request.build());
  }

  private static Result check(Message request) {
    String type = request.getDescriptorForType().getName();
    String rpc = type.substring(0, type.length() - "Request".length());
    return RequestChecks.check(
        CsiOperation.ofRpcName(rpc).orElseThrow(), request, KnownEntries.NONE);
  }

  private static Result nothing() {
    return new Result(List.of(), List.of(), List.of());
  }

  private static Result violations(Violation... violations) {
    return new Result(List.of(violations), List.of(), List.of());
  }

  private static Result oversize(Violation... oversize) {
    return new Result(List.of(), List.of(oversize), List.of());
  }

  private static Violation of(String field, Rule rule, String detail) {
    return new Violation(field, rule, detail);
  }

  @Test
  void requiredFieldsAreNamedForEveryRequestAndExist() {
    TreeSet<String> requests = new TreeSet<>();
    for (CsiOperation operation : CsiOperation.values()) {
      requests.add(Wire.request(operation).getDescriptorForType().getName());
    }
    assertThat(requests).hasSize(36);
    assertThat(MessageRules.REQUIRED.keySet()).containsAll(requests);

    MessageRules.REQUIRED.forEach(
        (type, fields) ->
            assertThat(
                    descriptor(type).getFields().stream()
                        .filter(field -> field.getJavaType() != FieldDescriptor.JavaType.BOOLEAN)
                        .map(SpecFields::name))
                .as(type)
                .containsAll(fields));
    MessageRules.REQUIRED_CHOICE.forEach(
        (type, choice) ->
            assertThat(descriptor(type).getOneofs())
                .as(type)
                .anyMatch(o -> o.getName().equals(choice)));
  }

  @Test
  void bothPathsOfAVolumesHealthAreOptionalAndAbsolute() {
    NodeGetVolumeHealthRequest.Builder health =
        NodeGetVolumeHealthRequest.newBuilder().setVolumeId("v");
    CsiOperation operation = CsiOperation.NODE_GET_VOLUME_HEALTH;
    assertThat(RequestChecks.check(operation, health.build(), KnownEntries.NONE).violations())
        .isEmpty();
    health.setVolumePublishPath("p").setStagingTargetPath("s");
    assertThat(RequestChecks.check(operation, health.build(), KnownEntries.NONE).violations())
        .containsExactly(
            of("volume_publish_path", Rule.NOT_ABSOLUTE, "does not begin with /"),
            of("staging_target_path", Rule.NOT_ABSOLUTE, "does not begin with /"));
  }

  private static Descriptor descriptor(String name) {
    return CsiProto.getDescriptor().getMessageTypes().stream()
        .flatMap(type -> Stream.concat(Stream.of(type), type.getNestedTypes().stream()))
        .filter(type -> type.getName().equals(name))
        .findFirst()
        .orElseThrow();
  }

  @ParameterizedTest
  @EnumSource(CsiOperation.class)
  void emptyRequestsLackExactlyWhatIsRequired(CsiOperation operation) {
    Message request = Wire.request(operation);
    String type = request.getDescriptorForType().getName();

    Result result = RequestChecks.check(operation, request, KnownEntries.NONE);

    assertThat(result.violations())
        .extracting(Violation::field)
        .containsExactlyInAnyOrderElementsOf(MessageRules.REQUIRED.get(type));
    assertThat(result.violations()).extracting(Violation::rule).containsOnly(sample(result));
    assertThat(result.oversize()).isEmpty();
    assertThat(result.remarks()).isEmpty();
  }

  private static Rule[] sample(Result result) {
    return result.violations().isEmpty() ? new Rule[0] : new Rule[] {Rule.REQUIRED};
  }

  @Test
  void plainRequestsPass() {
    assertThat(check(createVolume())).isEqualTo(nothing());
    assertThat(check(stage(MountVolume.newBuilder().setFsType("ext4").addMountFlags("noatime"))))
        .isEqualTo(nothing());
    assertThat(check(ListVolumesRequest.newBuilder())).isEqualTo(nothing());
  }

  @Test
  void allFindingsAreReportedAtOnceInTheOrderOfTheFields() {
    Result result =
        check(
            CreateVolumeRequest.newBuilder()
                .setCapacityRange(CapacityRange.newBuilder().setRequiredBytes(-1))
                .addVolumeCapabilities(BLOCK)
                .addVolumeCapabilities(VolumeCapability.newBuilder())
                .putParameters("long", "x".repeat(5000))
                .putSecrets("ke/y", "hunter2"));

    assertThat(result.violations())
        .containsExactly(
            of("name", Rule.REQUIRED, "is empty"),
            of(
                "capacity_range.required_bytes",
                Rule.OUT_OF_RANGE,
                "is -1, but CSI requires at least 0"),
            of("volume_capabilities[1].access_mode", Rule.REQUIRED, "is not set"),
            of("volume_capabilities[1].access_type", Rule.REQUIRED, "has none of block, mount"),
            of(
                "secrets[\"ke/y\"]",
                Rule.CHARACTERS,
                "has a key with something other than letters, digits and -_."));
    assertThat(result.oversize())
        .containsExactly(
            of("parameters", Rule.TOO_LARGE, "has 5004 bytes in keys and values, CSI allows 4096"));
  }

  @Test
  void accessModeHasToBeStatedAndKnown() {
    assertThat(
            check(
                createVolume()
                    .addVolumeCapabilities(
                        BLOCK.toBuilder().setAccessMode(AccessMode.newBuilder()))))
        .isEqualTo(
            violations(
                of("volume_capabilities[1].access_mode.mode", Rule.UNRECOGNIZED, "is not set")));
    assertThat(
            check(
                createVolume()
                    .addVolumeCapabilities(
                        BLOCK.toBuilder().setAccessMode(AccessMode.newBuilder().setModeValue(99)))))
        .isEqualTo(
            violations(
                of(
                    "volume_capabilities[1].access_mode.mode",
                    Rule.UNRECOGNIZED,
                    "is 99, which is unknown to CSI 1.13")));
  }

  @Test
  void mutableParametersAreNamedAsInTheSpec() {
    assertThat(check(ControllerModifyVolumeRequest.newBuilder().setVolumeId("v")))
        .isEqualTo(violations(of("mutable_parameters", Rule.REQUIRED, "is empty")));
    assertThat(check(createVolume().putMutableParams("a", "b\0")))
        .isEqualTo(violations(of("mutable_parameters[\"a\"]", Rule.NUL, "has a NUL at index 1")));
  }

  @Test
  void nulAndLoneSurrogatesAreRefusedWithTheirIndex() {
    assertThat(check(DeleteVolumeRequest.newBuilder().setVolumeId("vol\0x")))
        .isEqualTo(violations(of("volume_id", Rule.NUL, "has a NUL at index 3")));
    assertThat(check(DeleteVolumeRequest.newBuilder().setVolumeId("vol-\ud800")))
        .isEqualTo(
            violations(of("volume_id", Rule.NOT_UNICODE, "is not valid Unicode at index 4")));
    assertThat(
            check(
                DeleteVolumeRequest.newBuilder()
                    .setVolumeId("v")
                    .putSecrets("k", "top-secret\udc00")
                    .putSecrets("n\0", "top-secret")))
        .isEqualTo(
            violations(
                of("secrets[\"k\"]", Rule.NOT_UNICODE, "is not valid Unicode at index 10"),
                of("secrets[\"n\\u0000\"]", Rule.NUL, "has a NUL in its key at index 1"),
                of(
                    "secrets[\"n\\u0000\"]",
                    Rule.CHARACTERS,
                    "has a key with something other than letters, digits and -_.")));
    assertThat(check(createVolume().putParameters("\ud800", "")))
        .isEqualTo(
            violations(
                of(
                    "parameters[\"\\ud800\"]",
                    Rule.NOT_UNICODE,
                    "has a key that is not valid Unicode at index 0")));
  }

  @Test
  void otherwiseStrangeIdsPass() {
    for (String id : List.of("..", ".", "a\nb", "\u001b[2J", "\u202e", "--help", "ÄÖÜ", "K")) {
      assertThat(check(DeleteVolumeRequest.newBuilder().setVolumeId(id))).isEqualTo(nothing());
    }
  }

  @Test
  void sizesAreCountedInBytesOfUtf8() {
    assertThat(check(DeleteVolumeRequest.newBuilder().setVolumeId("é".repeat(64))))
        .isEqualTo(nothing());
    assertThat(check(DeleteVolumeRequest.newBuilder().setVolumeId("é".repeat(70))))
        .isEqualTo(oversize(of("volume_id", Rule.TOO_LARGE, "has 140 bytes; CSI allows 128")));
    assertThat(check(createVolume().setName("x".repeat(129))))
        .isEqualTo(oversize(of("name", Rule.TOO_LARGE, "has 129 bytes; CSI allows 128")));
    assertThat(
            check(
                CreateVolumeGroupSnapshotRequest.newBuilder()
                    .setName("g")
                    .addSourceVolumeIds("a")
                    .addSourceVolumeIds("x".repeat(129))))
        .isEqualTo(
            oversize(of("source_volume_ids[1]", Rule.TOO_LARGE, "has 129 bytes; CSI allows 128")));
  }

  @Test
  void nodeIdsMayHave256Bytes() {
    ControllerPublishVolumeRequest.Builder publish =
        ControllerPublishVolumeRequest.newBuilder().setVolumeId("v").setVolumeCapability(BLOCK);
    assertThat(check(publish.setNodeId("n".repeat(256)))).isEqualTo(nothing());
    assertThat(check(publish.setNodeId("n".repeat(257))))
        .isEqualTo(oversize(of("node_id", Rule.TOO_LARGE, "has 257 bytes; CSI allows 256")));
  }

  @Test
  void longPathsAreOnlyRemarkedUpon() {
    Result result =
        check(stage(MountVolume.newBuilder()).setStagingTargetPath("/" + "x".repeat(128)));
    assertThat(result)
        .isEqualTo(
            new Result(
                List.of(),
                List.of(),
                List.of(
                    of(
                        "staging_target_path",
                        Rule.TOO_LARGE,
                        "has 129 bytes; plugins need not accept more than 128"))));
  }

  @Test
  void relativePathsAreRefused() {
    assertThat(
            check(
                NodePublishVolumeRequest.newBuilder()
                    .setVolumeId("v")
                    .setVolumeCapability(BLOCK)
                    .setStagingTargetPath("stage")
                    .setTargetPath("../target")))
        .isEqualTo(
            violations(
                of("staging_target_path", Rule.NOT_ABSOLUTE, "does not begin with /"),
                of("target_path", Rule.NOT_ABSOLUTE, "does not begin with /")));
  }

  @Test
  void whatIsWrongAtTheVeryFirstCharacterIsFoundThere() {
    assertThat(check(createVolume().setName("\u0001pvc")))
        .isEqualTo(
            violations(
                of("name", Rule.CHARACTERS, "has U+0001 at index 0, which CSI forbids in names")));
    assertThat(check(DeleteVolumeRequest.newBuilder().setVolumeId("\udc00vol")))
        .isEqualTo(
            violations(of("volume_id", Rule.NOT_UNICODE, "is not valid Unicode at index " + "0")));
    assertThat(check(createVolume().putParameters("\0key", "")))
        .isEqualTo(
            violations(
                of("parameters[\"\\u0000key\"]", Rule.NUL, "has a NUL in its key at index 0")));
  }

  @Test
  void whatIsExactlyAsLargeAsMayBeIsNotTooLarge() {
    assertThat(check(stage(MountVolume.newBuilder()).setStagingTargetPath("/" + "x".repeat(127))))
        .isEqualTo(nothing());
    List<String> flags = Collections.nCopies(10_000, "");
    assertThat(check(stage(MountVolume.newBuilder().addAllMountFlags(flags)))).isEqualTo(nothing());
    assertThat(check(createVolume().putParameters("k", "x".repeat((1 << 20) - 1))))
        .isEqualTo(
            oversize(
                of(
                    "parameters",
                    Rule.TOO_LARGE,
                    "has 1048576 bytes in keys and values, CSI allows 4096")));
  }

  @Test
  void mountFlagsAreCountedInBytesOfUtf8Together() {
    assertThat(
            check(
                stage(
                    MountVolume.newBuilder()
                        .addMountFlags("\u00e9".repeat(1024))
                        .addMountFlags("\u00e9".repeat(1024))
                        .addMountFlags("x"))))
        .isEqualTo(
            oversize(
                of(
                    "volume_capability.mount.mount_flags",
                    Rule.TOO_LARGE,
                    "has 4097 bytes in all, CSI allows 4096")));
  }

  @Test
  void stringsBeyondOneMebibyteAreRefused() {
    String huge = "x".repeat(1 << 20);
    assertThat(check(DeleteVolumeRequest.newBuilder().setVolumeId(huge)).violations()).isEmpty();
    assertThat(check(DeleteVolumeRequest.newBuilder().setVolumeId(huge + "y")))
        .isEqualTo(
            violations(
                of("volume_id", Rule.TOO_LARGE, "has 1048577 bytes, at most 1048576 are sent")));
    assertThat(check(stage(MountVolume.newBuilder()).setStagingTargetPath("/" + huge)))
        .isEqualTo(
            violations(
                of(
                    "staging_target_path",
                    Rule.TOO_LARGE,
                    "has 1048577 bytes, at most 1048576 are sent")));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 8, 0xB, 0xC, 0xE, 0x1F, 0x7F, 0x80, 0x9F})
  void namesAreFreeOfBannedControlCharacters(int banned) {
    String name = "ab" + (char) banned + "c";
    Violation expected =
        of(
            "name",
            Rule.CHARACTERS,
            String.format("has U+%04X at index 2, which CSI forbids in names", banned));
    assertThat(check(createVolume().setName(name))).isEqualTo(violations(expected));
    assertThat(check(CreateSnapshotRequest.newBuilder().setSourceVolumeId("v").setName(name)))
        .isEqualTo(violations(expected));
    assertThat(
            check(
                CreateVolumeGroupSnapshotRequest.newBuilder()
                    .addSourceVolumeIds("v")
                    .setName(name)))
        .isEqualTo(violations(expected));
  }

  @Test
  void namesMayHaveTabsAndLineEndsAndAnyScript() {
    assertThat(check(createVolume().setName("a\tb\nc\r ж漢😀\u00a0"))).isEqualTo(nothing());
    assertThat(check(createVolume().setName("\0")))
        .isEqualTo(violations(of("name", Rule.NUL, "has a NUL at index 0")));
  }

  @ParameterizedTest
  @CsvSource({"'',has an empty key", "a b,x", "ключ,x", "a/b,x", "a=b,x", "'a\"b',x", "é,x"})
  void keysOfSecretsAreLimited(String key, String detail) {
    Result result =
        check(DeleteVolumeRequest.newBuilder().setVolumeId("v").putSecrets(key, "hunter2hunter2"));
    String expected =
        detail.equals("x") ? "has a key with something other than letters, digits and -_." : detail;
    assertThat(result)
        .isEqualTo(
            violations(
                of("secrets[\"" + key.replace("\"", "\\\"") + "\"]", Rule.CHARACTERS, expected)));
  }

  @Test
  void ordinaryKeysOfSecretsPass() {
    assertThat(
            check(
                DeleteVolumeRequest.newBuilder()
                    .setVolumeId("v")
                    .putSecrets("user.Name-1_x", "ö".repeat(500))
                    .putSecrets(".", "")))
        .isEqualTo(nothing());
  }

  @Test
  void mapsAreMeasuredAsAWhole() {
    assertThat(check(createVolume().putParameters("k".repeat(96), "v".repeat(4000))))
        .isEqualTo(nothing());
    assertThat(
            check(
                DeleteVolumeRequest.newBuilder()
                    .setVolumeId("v")
                    .putSecrets("a", "é".repeat(1000))
                    .putSecrets("b", "hunter2".repeat(300))))
        .isEqualTo(
            oversize(
                of(
                    "secrets",
                    Rule.TOO_LARGE,
                    "has 4102 bytes in keys and values, CSI allows 4096")));
    assertThat(
            check(
                DeleteVolumeRequest.newBuilder()
                    .setVolumeId("v")
                    .putSecrets("a", "x".repeat(1 << 20))))
        .isEqualTo(
            violations(
                of(
                    "secrets",
                    Rule.TOO_LARGE,
                    "has 1048577 bytes in keys and values, at most 1048576 are sent")));
  }

  @Test
  void mountFlagsAreMeasuredTogetherAndNeverShown() {
    String at = "volume_capability.mount.mount_flags";
    assertThat(check(stage(MountVolume.newBuilder().addMountFlags("x".repeat(4096)))))
        .isEqualTo(nothing());
    assertThat(
            check(
                stage(
                    MountVolume.newBuilder()
                        .addMountFlags("x".repeat(4096))
                        .addMountFlags("password=hunter2"))))
        .isEqualTo(oversize(of(at, Rule.TOO_LARGE, "has 4112 bytes in all, CSI allows 4096")));
    assertThat(
            check(stage(MountVolume.newBuilder().addMountFlags("ok").addMountFlags("password=\0"))))
        .isEqualTo(violations(of(at + "[1]", Rule.NUL, "has a NUL at index 9")));
    assertThat(
            check(
                stage(MountVolume.newBuilder().addAllMountFlags(Collections.nCopies(100_000, "")))))
        .isEqualTo(
            violations(of(at, Rule.TOO_LARGE, "has 100000 entries, at most 10000 are sent")));
    assertThat(check(stage(MountVolume.newBuilder().addMountFlags("x".repeat((1 << 20) + 1)))))
        .isEqualTo(
            violations(
                of(at, Rule.TOO_LARGE, "has 1048577 bytes in all, at most 1048576 are sent")));
  }

  @ParameterizedTest
  @CsvSource({"ext4;rm -rf /,4", "../x,2", "a b,1", "é,0", "x\u2028,1"})
  void filesystemTypesAreLimited(String type, int index) {
    assertThat(check(stage(MountVolume.newBuilder().setFsType(type))))
        .isEqualTo(
            violations(
                of(
                    "volume_capability.mount.fs_type",
                    Rule.CHARACTERS,
                    "has a character other than letters, digits and ._+- at index " + index)));
  }

  @Test
  void filesystemTypesHave128BytesAtMost() {
    assertThat(check(stage(MountVolume.newBuilder().setFsType("x".repeat(300)))))
        .isEqualTo(
            violations(
                of(
                    "volume_capability.mount.fs_type",
                    Rule.TOO_LARGE,
                    "has 300 bytes; CSI allows 128")));
    for (String type : List.of("ext4", "fuse.s3fs", "9p", "x-y_z+", "x".repeat(128))) {
      assertThat(check(stage(MountVolume.newBuilder().setFsType(type)))).isEqualTo(nothing());
    }
  }

  @ParameterizedTest
  @CsvSource({
    "0,0,capacity_range,REQUIRED,has neither required_bytes nor limit_bytes",
    "5,4,capacity_range,OUT_OF_RANGE,has required_bytes 5 above limit_bytes 4",
    "-5,4,capacity_range.required_bytes,OUT_OF_RANGE,'is -5, but CSI requires at least 0'",
    "5,-4,capacity_range.limit_bytes,OUT_OF_RANGE,'is -4, but CSI requires at least 0'",
  })
  void capacityRangesMakeSense(long required, long limit, String at, Rule rule, String detail) {
    CapacityRange range =
        CapacityRange.newBuilder().setRequiredBytes(required).setLimitBytes(limit).build();
    assertThat(check(createVolume().setCapacityRange(range)))
        .isEqualTo(violations(of(at, rule, detail)));
    assertThat(
            check(
                ControllerExpandVolumeRequest.newBuilder()
                    .setVolumeId("v")
                    .setCapacityRange(range)))
        .isEqualTo(violations(of(at, rule, detail)));
  }

  @Test
  void capacityRangesMayBeOpenOnOneSideOrExact() {
    for (long[] sizes : new long[][] {{1, 0}, {0, 1}, {7, 7}, {Long.MAX_VALUE, Long.MAX_VALUE}}) {
      CapacityRange.Builder range =
          CapacityRange.newBuilder().setRequiredBytes(sizes[0]).setLimitBytes(sizes[1]);
      assertThat(check(createVolume().setCapacityRange(range))).isEqualTo(nothing());
    }
  }

  @Test
  void countsAndOffsetsAreNotNegative() {
    assertThat(check(ListVolumesRequest.newBuilder().setMaxEntries(-1)))
        .isEqualTo(
            violations(of("max_entries", Rule.OUT_OF_RANGE, "is -1, but CSI requires at least 0")));
    assertThat(
            check(
                GetMetadataAllocatedRequest.newBuilder()
                    .setSnapshotId("s")
                    .setStartingOffset(-2)
                    .setMaxResults(-3)))
        .isEqualTo(
            violations(
                of("starting_offset", Rule.OUT_OF_RANGE, "is -2, but CSI requires at least 0"),
                of("max_results", Rule.OUT_OF_RANGE, "is -3, but CSI requires at least 0")));
  }

  @Test
  void contentSourcesNameOneThing() {
    assertThat(check(createVolume().setVolumeContentSource(VolumeContentSource.newBuilder())))
        .isEqualTo(
            violations(
                of("volume_content_source.type", Rule.REQUIRED, "has none of snapshot, volume")));
    assertThat(
            check(
                createVolume()
                    .setVolumeContentSource(
                        VolumeContentSource.newBuilder()
                            .setSnapshot(VolumeContentSource.SnapshotSource.newBuilder()))))
        .isEqualTo(
            violations(
                of("volume_content_source.snapshot.snapshot_id", Rule.REQUIRED, "is empty")));
    assertThat(
            check(
                createVolume()
                    .setVolumeContentSource(
                        VolumeContentSource.newBuilder()
                            .setVolume(VolumeContentSource.VolumeSource.newBuilder()))))
        .isEqualTo(
            violations(of("volume_content_source.volume.volume_id", Rule.REQUIRED, "is empty")));
  }

  @Test
  void emptyIdsInRequiredListsAreRefused() {
    assertThat(
            check(
                CreateVolumeGroupSnapshotRequest.newBuilder()
                    .setName("g")
                    .addSourceVolumeIds("v")
                    .addSourceVolumeIds("")))
        .isEqualTo(violations(of("source_volume_ids[1]", Rule.REQUIRED, "is empty")));
  }

  @Test
  void deltasAreBetweenTwoSnapshots() {
    assertThat(
            check(
                GetMetadataDeltaRequest.newBuilder()
                    .setBaseSnapshotId("s")
                    .setTargetSnapshotId("s")))
        .isEqualTo(
            violations(of("target_snapshot_id", Rule.MISMATCH, "is the same as base_snapshot_id")));
  }

  private static Topology place(String key, String value) {
    return Topology.newBuilder().putSegments(key, value).build();
  }

  @Test
  void preferredPlacesAreAmongTheRequisiteWithoutRegardToCase() {
    TopologyRequirement.Builder requirement =
        TopologyRequirement.newBuilder()
            .addRequisite(place("example.org/Zone", "a"))
            .addPreferred(place("EXAMPLE.org/zone", "a".repeat(1)));
    assertThat(check(createVolume().setAccessibilityRequirements(requirement)).violations())
        .isEmpty();

    requirement.addPreferred(place("example.org/Zone", "A"));
    assertThat(check(createVolume().setAccessibilityRequirements(requirement)).violations())
        .containsExactly(
            of(
                "accessibility_requirements.preferred[1]",
                Rule.MISMATCH,
                "is not among the requisite entries"));

    assertThat(
            check(
                createVolume()
                    .setAccessibilityRequirements(
                        TopologyRequirement.newBuilder().addPreferred(place("zone", "a")))))
        .isEqualTo(nothing());
    assertThat(check(createVolume().setAccessibilityRequirements(TopologyRequirement.newBuilder())))
        .isEqualTo(
            violations(
                of(
                    "accessibility_requirements",
                    Rule.REQUIRED,
                    "has neither requisite nor preferred entries")));
  }

  @Test
  void aPlaceWithoutSegmentsIsRefused() {
    String none = "has no segments: name one, or omit the place";
    assertThat(check(GetCapacityRequest.newBuilder().setAccessibleTopology(Topology.newBuilder())))
        .isEqualTo(violations(of("accessible_topology", Rule.REQUIRED, none)));
    assertThat(
            check(
                createVolume()
                    .setAccessibilityRequirements(
                        TopologyRequirement.newBuilder()
                            .addRequisite(place("zone", "a"))
                            .addRequisite(Topology.newBuilder()))))
        .isEqualTo(violations(of("accessibility_requirements.requisite[1]", Rule.REQUIRED, none)));
  }

  @Test
  void topologyLabelsBeyondTheSpecAreWarnedOf() {
    for (String key : List.of("zone", "a.b-c/Zone_1.x", "x/" + "y".repeat(63), "1/2")) {
      assertThat(check(capacityAt(key, "Rack_1.a-b"))).isEqualTo(nothing());
    }
    for (String key :
        List.of(
            "",
            "/",
            "a/",
            "/a",
            "a/b/c",
            "A.b/c",
            "-a/c",
            "a..b/c",
            "-x",
            "x_",
            "y".repeat(64),
            "y".repeat(64) + "/x",
            "zo ne",
            "zoné")) {
      assertThat(check(capacityAt(key, "a")))
          .as(key)
          .isEqualTo(
              oversize(
                  of(
                      "accessible_topology.segments[\"" + key + "\"]",
                      Rule.CHARACTERS,
                      "has a key that is not a valid topology key of CSI")));
    }
    for (String value : List.of("", "-a", "a-", "a/b", "ä", "y".repeat(64))) {
      assertThat(check(capacityAt("zone", value)))
          .as(value)
          .isEqualTo(
              oversize(
                  of(
                      "accessible_topology.segments[\"zone\"]",
                      Rule.CHARACTERS,
                      "has a value that is not a valid topology value of CSI")));
    }
  }

  private static GetCapacityRequest.Builder capacityAt(String key, String value) {
    return GetCapacityRequest.newBuilder().setAccessibleTopology(place(key, value));
  }

  @Test
  void findingsAreBoundedInNumber() {
    CreateVolumeRequest.Builder request = createVolume();
    for (int i = 0; i < 10_000; i++) {
      request.addVolumeCapabilities(VolumeCapability.getDefaultInstance());
    }
    assertThat(check(request).violations()).hasSize(100);
  }

  @Test
  void randomRequestsNeverThrowAndNeverShowASecret() {
    Random random = new Random(7);
    for (int round = 0; round < 100; round++) {
      for (CsiOperation operation : CsiOperation.values()) {
        List<String> planted = new ArrayList<>();
        Message request =
            RandomMessages.fill(
                Wire.request(operation),
                random,
                field -> {
                  boolean isKey = field.getContainingType().getOptions().getMapEntry();
                  String text = RandomMessages.nasty(random, 0, 40, true);
                  if (!isKey && SpecFields.isSensitive(field)) {
                    text = "planted" + random.nextInt(1 << 20) + text;
                    planted.add(text.substring(0, 10));
                  }
                  return text;
                });
        Result result = RequestChecks.check(operation, request, KnownEntries.NONE);

        for (List<Violation> findings :
            Arrays.asList(result.violations(), result.oversize(), result.remarks())) {
          for (Violation finding : findings) {
            String shown = finding.field() + finding.detail() + finding;
            assertThat(shown).doesNotContainPattern("\\p{Cntrl}");
            planted.forEach(value -> assertThat(shown).doesNotContain(value));
          }
        }
      }
    }
  }

  @Test
  void entriesThatWereFoundInOrderAreNotReadAgainAndAllElseIs() {
    NodePublishVolumeRequest request =
        NodePublishVolumeRequest.newBuilder()
            .setVolumeId("vol-1")
            .setTargetPath("/t")
            .setVolumeCapability(mount(MountVolume.newBuilder()))
            .putPublishContext("key", "a\0b")
            .putVolumeContext("key", "a\0b")
            .putSecrets("key", "a\0b")
            .build();
    assertThat(fieldsFoundIn(request, KnownEntries.NONE))
        .containsExactly("publish_context[\"key\"]", "secrets[\"key\"]", "volume_context[\"key\"]");
    assertThat(fieldsFoundIn(request, KnownEntries.CONTEXTS)).containsExactly("secrets[\"key\"]");
    assertThat(fieldsFoundIn(request, KnownEntries.CONTEXTS_AND_SECRETS)).isEmpty();
    assertThat(
            fieldsFoundIn(
                request.toBuilder().setTargetPath("").build(), KnownEntries.CONTEXTS_AND_SECRETS))
        .containsExactly("target_path");
  }

  private static List<String> fieldsFoundIn(NodePublishVolumeRequest request, KnownEntries known) {
    return RequestChecks.check(CsiOperation.NODE_PUBLISH_VOLUME, request, known)
        .violations()
        .stream()
        .map(Violation::field)
        .toList();
  }

  @Test
  void onlyContextsThatAreAsciiWithoutNulAndNotTooLargeAreKnownToBeInOrder() {
    assertThat(NodeRequestMapping.known(publishOf("a", "b")))
        .isEqualTo(KnownEntries.CONTEXTS_AND_SECRETS);
    assertThat(NodeRequestMapping.known(stageOf("a", "b")))
        .isEqualTo(KnownEntries.CONTEXTS_AND_SECRETS);
    // With "key" and "value", 4,096 bytes are allowed.
    String most = "v".repeat(4093);
    assertThat(NodeRequestMapping.known(publishOf(most, "b")))
        .isEqualTo(KnownEntries.CONTEXTS_AND_SECRETS);
    for (String odd : List.of("a\0b", "\u00e9", "\ud800", most + "v")) {
      assertThat(NodeRequestMapping.known(publishOf(odd, "b"))).isEqualTo(KnownEntries.NONE);
      assertThat(NodeRequestMapping.known(publishOf("a", odd))).isEqualTo(KnownEntries.NONE);
      assertThat(NodeRequestMapping.known(stageOf(odd, "b"))).isEqualTo(KnownEntries.NONE);
      assertThat(NodeRequestMapping.known(stageOf("a", odd))).isEqualTo(KnownEntries.NONE);
    }
    assertThat(NodeRequestMapping.known(VolumeId.of("vol-1"))).isEqualTo(KnownEntries.NONE);
  }

  @Test
  void secretsAreReadEachTimeThatTheyAreSent() {
    Object request =
        io.csi4j.client.node.NodePublishVolumeRequest.builder(
                VolumeId.of("vol-1"), PluginPath.of("/t"), CAPABILITY)
            .secrets(Secrets.of(Map.of("key", "value")))
            .build();
    assertThat(NodeRequestMapping.known(request)).isEqualTo(KnownEntries.CONTEXTS);
  }

  private static final io.csi4j.client.model.VolumeCapability CAPABILITY =
      io.csi4j.client.model.VolumeCapability.mount(
          io.csi4j.client.model.AccessMode.SINGLE_NODE_WRITER, MountOptions.none());

  private static Object publishOf(String publish, String volume) {
    return io.csi4j.client.node.NodePublishVolumeRequest.builder(
            VolumeId.of("vol-1"), PluginPath.of("/t"), CAPABILITY)
        .publishContext(PublishContext.of(Map.of("key", publish)))
        .volumeContext(VolumeContext.of(Map.of(volume, "value")))
        .build();
  }

  private static Object stageOf(String publish, String volume) {
    return io.csi4j.client.node.NodeStageVolumeRequest.builder(
            VolumeId.of("vol-1"), PluginPath.of("/s"), CAPABILITY)
        .publishContext(PublishContext.of(Map.of(publish, "value")))
        .volumeContext(VolumeContext.of(Map.of("key", volume)))
        .build();
  }

  @Test
  void secretsAreFoundByTheirOptionInTheContract() {
    List<String> secrets = new ArrayList<>();
    for (Message prototype : RandomMessages.prototypes()) {
      for (FieldDescriptor field : prototype.getDescriptorForType().getFields()) {
        if (SpecFields.isSecret(field)) {
          secrets.add(field.getFullName());
        }
      }
    }
    assertThat(secrets).hasSize(22).allMatch(name -> name.endsWith("Request.secrets"));
  }
}
