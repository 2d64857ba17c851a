package io.csi4j.client.internal.redaction;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.controller.ControllerModifyVolumeRequest;
import io.csi4j.client.controller.CreateVolumeRequest;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.model.VolumeId;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RecordTextTest {

  private record HiddenValue(String what) {}

  private record Plain(String what) {}

  @Test
  void aRecordBehindTheApiHasTheNameOfWhatItIs() {
    assertThat(RecordText.of(new HiddenValue("a\nb"))).isEqualTo("Hidden[what=a\\nb]");
    assertThat(RecordText.of(new Plain("c"))).isEqualTo("Plain[what=c]");
  }

  @Test
  void ofParametersOnlyTheKeysAreShown() {
    CreateVolumeRequest request =
        CreateVolumeRequest.builder(
                "vol", List.of(VolumeCapability.block(AccessMode.SINGLE_NODE_WRITER)))
            .parameters(Map.of("tier", "gold", "password", "hunter2"))
            .mutableParameters(Map.of("iops", "500"))
            .build();
    assertThat(request)
        .asString()
        .contains("name=vol", "parameters=[password, tier]", "mutableParameters=[iops]")
        .doesNotContain("gold", "hunter2", "500");
    assertThat(
            ControllerModifyVolumeRequest.builder(VolumeId.of("v"), Map.of("k", "hunter2")).build())
        .asString()
        .contains("[k]")
        .doesNotContain("hunter2");
  }
}
