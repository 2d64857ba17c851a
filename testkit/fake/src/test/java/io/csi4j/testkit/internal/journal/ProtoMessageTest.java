package io.csi4j.testkit.internal.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.BoolValue;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.Message;
import io.csi4j.client.internal.proto.CreateVolumeRequest;
import io.csi4j.client.internal.proto.CsiProto;
import io.csi4j.client.internal.proto.NodeStageVolumeRequest;
import io.csi4j.client.internal.proto.ProbeResponse;
import io.csi4j.client.internal.proto.VolumeCapability;
import io.csi4j.testkit.journal.WireMessage;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Messages field by field. */
class ProtoMessageTest {

  private static WireMessage wire(Message message) {
    return new ProtoMessage(message);
  }

  @Test
  void everyKindOfFieldIsReadByItsNameInTheSpec() {
    WireMessage message =
        wire(
            CreateVolumeRequest.newBuilder()
                .setName("a")
                .putMutableParams("iops", "3")
                .putParameters("k", "v")
                .setCapacityRange(
                    io.csi4j.client.internal.proto.CapacityRange.newBuilder().setLimitBytes(7))
                .addVolumeCapabilities(
                    VolumeCapability.newBuilder()
                        .setMount(
                            VolumeCapability.MountVolume.newBuilder()
                                .addMountFlags("ro")
                                .addMountFlags("noatime"))
                        .setAccessMode(
                            VolumeCapability.AccessMode.newBuilder()
                                .setMode(VolumeCapability.AccessMode.Mode.MULTI_NODE_READER_ONLY)))
                .build());

    assertThat(message.type()).isEqualTo("CreateVolumeRequest");
    assertThat(message.fields())
        .containsExactly(
            "name", "capacity_range", "volume_capabilities", "parameters", "mutable_parameters");
    assertThat(message.text("name")).isEqualTo("a");
    assertThat(message.map("mutable_parameters")).isEqualTo(Map.of("iops", "3"));
    assertThat(message.message("capacity_range").number("limit_bytes")).isEqualTo(7);
    assertThat(message.message("capacity_range").number("required_bytes")).isZero();
    WireMessage capability = message.messages("volume_capabilities").get(0);
    assertThat(capability.message("mount").texts("mount_flags")).containsExactly("ro", "noatime");
    assertThat(capability.has("mount")).isTrue();
    assertThat(capability.has("block")).isFalse();
    assertThat(capability.message("access_mode").choice("mode"))
        .isEqualTo("MULTI_NODE_READER_ONLY");
    assertThat(capability.message("access_mode").number("mode")).isEqualTo(3);
    assertThat(message.message("volume_content_source").fields()).isEmpty();
    assertThat(message.has("secrets")).isFalse();
    assertThat(message.map("secrets")).isEmpty();
  }

  @Test
  void aNumberThatAnEnumDoesNotHaveIsItsOwnName() {
    WireMessage mode = wire(VolumeCapability.AccessMode.newBuilder().setModeValue(77).build());

    assertThat(mode.choice("mode")).isEqualTo("77");
    assertThat(mode.number("mode")).isEqualTo(77);
    assertThat(mode.json()).isEqualTo("{\"mode\":77}");
  }

  @Test
  void aWrappedValueIsReadAsAValueAndAsAMessage() {
    WireMessage no = wire(ProbeResponse.newBuilder().setReady(BoolValue.of(false)).build());

    assertThat(no.has("ready")).isTrue();
    assertThat(no.flag("ready")).isFalse();
    assertThat(no.message("ready").type()).isEqualTo("BoolValue");
    assertThat(no.json()).isEqualTo("{\"ready\":false}");
    assertThat(wire(ProbeResponse.getDefaultInstance()).has("ready")).isFalse();
  }

  @Test
  void aFieldThatIsNotThereOrOfAnotherKindIsRefusedWithTheNamesThatAre() {
    WireMessage message = wire(CreateVolumeRequest.getDefaultInstance());

    assertThatThrownBy(() -> message.text("nmae"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("nmae")
        .hasMessageContaining("mutable_parameters");
    for (Runnable wrong :
        new Runnable[] {
          () -> message.number("name"),
          () -> message.flag("name"),
          () -> message.choice("name"),
          () -> message.map("name"),
          () -> message.message("name"),
          () -> message.texts("name"),
          () -> message.messages("secrets"),
          () -> message.text("volume_capabilities")
        }) {
      assertThatThrownBy(wrong::run)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("another type")
          .hasMessageContaining("capacity_range");
    }
    assertThatThrownBy(() -> message.has("mutable_params"))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void theOrderOfAMapDoesNotMatter() {
    CreateVolumeRequest.Builder one = CreateVolumeRequest.newBuilder();
    one.putParameters("a", "1").putParameters("b", "2");
    CreateVolumeRequest.Builder two = CreateVolumeRequest.newBuilder();
    two.putParameters("b", "2").putParameters("a", "1");

    assertThat(wire(one.build())).isEqualTo(wire(two.build())).hasSameHashCodeAs(wire(two.build()));
    assertThat(wire(one.build())).isNotEqualTo(wire(two.putParameters("a", "3").build()));
  }

  @Test
  void withoutSecretsNothingElseIsLost() {
    NodeStageVolumeRequest bare =
        NodeStageVolumeRequest.newBuilder().setVolumeId("v").putVolumeContext("a", "b").build();

    assertThat(wire(bare.toBuilder().putSecrets("k", "s").build()).withoutSecrets())
        .isEqualTo(wire(bare));
  }

  @Test
  void everySecretOfEveryMessageIsHidden() {
    int secrets = 0;
    for (Descriptor type : CsiProto.getDescriptor().getMessageTypes()) {
      for (FieldDescriptor field : type.getFields()) {
        if (field.getOptions().getExtension(CsiProto.csiSecret)) {
          secrets++;
          assertThat(field.isMapField()).isTrue();
          Descriptor entry = field.getMessageType();
          WireMessage message =
              wire(
                  DynamicMessage.newBuilder(type)
                      .addRepeatedField(
                          field,
                          DynamicMessage.newBuilder(entry)
                              .setField(entry.findFieldByNumber(1), "key")
                              .setField(entry.findFieldByNumber(2), "canary-value")
                              .build())
                      .build());
          assertThat(message.toString()).contains("key").doesNotContain("canary-value");
          assertThat(message.json()).contains("key").doesNotContain("canary-value");
          assertThat(message.withoutSecrets().fields()).isEmpty();
        }
      }
    }
    assertThat(secrets).isGreaterThan(10);
  }

  @Test
  void jsonIsOneLineUnderTheNamesOfTheSpec() {
    assertThat(
            wire(CreateVolumeRequest.newBuilder()
                    .setName("a\"\n\u001b\u00e9")
                    .putMutableParams("k", "v")
                    .putSecrets("s", "hidden")
                    .addVolumeCapabilities(
                        VolumeCapability.newBuilder()
                            .setBlock(VolumeCapability.BlockVolume.getDefaultInstance()))
                    .build())
                .json())
        .isEqualTo(
            "{\"name\":\"a\\\"\\n\\u001b\\u00e9\",\"volume_capabilities\":[{\"block\":{}}],"
                + "\"secrets\":{\"s\":\"<redacted>\"},\"mutable_parameters\":{\"k\":\"v\"}}");
  }
}
