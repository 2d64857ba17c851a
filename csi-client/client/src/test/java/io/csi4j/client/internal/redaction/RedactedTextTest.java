package io.csi4j.client.internal.redaction;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.BoolValue;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import com.google.protobuf.UnknownFieldSet;
import io.csi4j.client.internal.proto.CapacityRange;
import io.csi4j.client.internal.proto.ControllerPublishVolumeResponse;
import io.csi4j.client.internal.proto.CreateVolumeGroupSnapshotRequest;
import io.csi4j.client.internal.proto.CreateVolumeRequest;
import io.csi4j.client.internal.proto.DeleteVolumeRequest;
import io.csi4j.client.internal.proto.NodeGetInfoResponse;
import io.csi4j.client.internal.proto.NodePublishVolumeRequest;
import io.csi4j.client.internal.proto.NodeStageVolumeRequest;
import io.csi4j.client.internal.proto.ProbeResponse;
import io.csi4j.client.internal.proto.Topology;
import io.csi4j.client.internal.proto.VolumeCapability;
import io.csi4j.client.internal.proto.VolumeCapability.AccessMode;
import io.csi4j.client.internal.proto.VolumeCapability.MountVolume;
import io.csi4j.client.internal.text.SafeText;
import io.csi4j.client.scripted.RandomMessages;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

class RedactedTextTest {

  private static String of(Message.Builder message) {
    return RedactedText.of(message.build(), UnaryOperator.identity());
  }

  @Test
  void messagesAreOneLineInTheNamesOfTheSpec() {
    assertThat(
            of(
                CreateVolumeRequest.newBuilder()
                    .setName("pvc \"1\"\n")
                    .setCapacityRange(CapacityRange.newBuilder().setRequiredBytes(5))
                    .addVolumeCapabilities(
                        VolumeCapability.newBuilder()
                            .setMount(
                                MountVolume.newBuilder()
                                    .setFsType("ext4")
                                    .addMountFlags("a")
                                    .addMountFlags("password=b"))
                            .setAccessMode(AccessMode.newBuilder().setModeValue(5)))
                    .addVolumeCapabilities(
                        VolumeCapability.newBuilder()
                            .setAccessMode(AccessMode.newBuilder().setModeValue(99)))
                    .putParameters("tier", "gold")
                    .putSecrets("user", "me")
                    .putSecrets("key", "hunter2")
                    .putMutableParams("iops", "5")))
        .isEqualTo(
            "{name=\"pvc \\\"1\\\"\\n\" capacity_range{required_bytes=5}"
                + " volume_capabilities[{mount{fs_type=\"ext4\" mount_flags=<2 redacted>}"
                + " access_mode{mode=MULTI_NODE_MULTI_WRITER}}, {access_mode{mode=99}}]"
                + " parameters{tier=<redacted>} secrets{user=<redacted>, key=<redacted>}"
                + " mutable_parameters{iops=<redacted>}}");
  }

  @Test
  void contextsShowTheirKeysOnly() {
    assertThat(
            of(
                NodePublishVolumeRequest.newBuilder()
                    .setVolumeId("v")
                    .putPublishContext("chap", "hunter2")
                    .setReadonly(true)
                    .putVolumeContext("token", "ey")))
        .isEqualTo(
            "{volume_id=\"v\" publish_context{chap=<redacted>} readonly=true"
                + " volume_context{token=<redacted>}}");
    assertThat(of(ControllerPublishVolumeResponse.newBuilder().putPublishContext("a", "b")))
        .isEqualTo("{publish_context{a=<redacted>}}");
  }

  @Test
  void wrappedValuesAreShownPlainlyAndNothingForNothing() {
    assertThat(of(ProbeResponse.newBuilder().setReady(BoolValue.of(false))))
        .isEqualTo("{ready=false}");
    assertThat(of(ProbeResponse.newBuilder())).isEqualTo("{}");
  }

  @Test
  void textsAndKeysAreCutTo128Bytes() {
    assertThat(
            of(
                NodeGetInfoResponse.newBuilder()
                    .setNodeId("x".repeat(1 << 20))
                    .setAccessibleTopology(
                        Topology.newBuilder().putSegments("k".repeat(200), "v".repeat(200)))))
        .isEqualTo(
            "{node_id=\""
                + "x".repeat(128)
                + "… (1048576 characters in all)\" accessible_topology{segments{"
                + "k".repeat(128)
                + "… (200 characters in all)=\""
                + "v".repeat(128)
                + "… (200 characters in all)\"}}}");
  }

  @Test
  void longListsAndMapsAreSummarised() {
    CreateVolumeGroupSnapshotRequest.Builder request =
        CreateVolumeGroupSnapshotRequest.newBuilder();
    for (int i = 0; i < 1000; i++) {
      request.addSourceVolumeIds("v" + i).putSecrets("s" + i, "x");
    }
    assertThat(of(request))
        .contains("\"v15\", … 984 more] secrets{s0=<redacted>")
        .endsWith("s15=<redacted>, … 984 more}}")
        .doesNotContain("v16");
    request.clearSourceVolumeIds().clearSecrets();
    for (int i = 0; i < 16; i++) {
      request.addSourceVolumeIds("v" + i);
    }
    assertThat(of(request)).endsWith("\"v15\"]}");
  }

  @Test
  void theLineIsCutTo4KiB() {
    CreateVolumeRequest.Builder request = CreateVolumeRequest.newBuilder();
    for (int i = 0; i < 16; i++) {
      request.putParameters(i + "é".repeat(60), "漢".repeat(40));
      request.putMutableParams(i + "é".repeat(60), "漢".repeat(40));
    }
    String line = of(request);
    assertThat(SafeText.utf8Length(line)).isBetween(4090, 4096);
    assertThat(line).endsWith("…");
  }

  @Test
  void unknownFieldsAreLeftOut() {
    UnknownFieldSet unknown =
        UnknownFieldSet.newBuilder()
            .addField(
                99,
                UnknownFieldSet.Field.newBuilder()
                    .addLengthDelimited(com.google.protobuf.ByteString.copyFromUtf8("hunter2"))
                    .build())
            .build();
    assertThat(of(DeleteVolumeRequest.newBuilder().setVolumeId("v").setUnknownFields(unknown)))
        .isEqualTo("{volume_id=\"v\"}");
  }

  @Test
  void everyFieldMarkedAsSecretIsRedacted() {
    int redacted = 0;
    for (Message prototype : RandomMessages.prototypes()) {
      for (FieldDescriptor field : prototype.getDescriptorForType().getFields()) {
        if (!SpecFields.isSecret(field)) {
          continue;
        }
        Message.Builder builder = prototype.newBuilderForType();
        Message.Builder entry = builder.newBuilderForField(field);
        entry.setField(field.getMessageType().findFieldByNumber(1), "key");
        entry.setField(field.getMessageType().findFieldByNumber(2), "planted-secret");
        builder.addRepeatedField(field, entry.build());
        assertThat(of(builder)).isEqualTo("{" + field.getName() + "{key=<redacted>}}");
        redacted++;
      }
    }
    assertThat(redacted).isEqualTo(22);
  }

  @Test
  void randomMessagesNeverShowASecretNorAControlCharacter() {
    Random random = new Random(3);
    for (int round = 0; round < 60; round++) {
      for (Message prototype : RandomMessages.prototypes()) {
        List<String> planted = new ArrayList<>();
        Message message =
            RandomMessages.fill(
                prototype,
                random,
                field -> {
                  String text = RandomMessages.nasty(random, 0, 40, true);
                  boolean isKey = field.getContainingType().getOptions().getMapEntry();
                  if (!isKey && SpecFields.isSensitive(field)) {
                    text = "planted" + random.nextInt(1 << 20) + text;
                    planted.add(text.substring(0, 10));
                  }
                  return text;
                });
        String line = RedactedText.of(message, UnaryOperator.identity());
        assertThat(line).doesNotContainPattern("[\\p{Cntrl}\\p{Zl}\\p{Zp}\\p{Cf}\\p{Cs}]");
        assertThat(SafeText.utf8Length(line)).isLessThanOrEqualTo(4096);
        planted.forEach(value -> assertThat(line).doesNotContain(value));
      }
    }
  }

  @Test
  void aTextCannotPassItselfOffAsAnotherField() {
    assertThat(of(DeleteVolumeRequest.newBuilder().setVolumeId("v\" secrets{key=\"x\"}")))
        .isEqualTo("{volume_id=\"v\\\" secrets{key=\\\"x\\\"}\"}");
    assertThat(of(NodeStageVolumeRequest.newBuilder().setVolumeId("\u202e\u001b[2J")))
        .isEqualTo("{volume_id=\"\\u202e\\u001b[2J\"}");
  }
}
