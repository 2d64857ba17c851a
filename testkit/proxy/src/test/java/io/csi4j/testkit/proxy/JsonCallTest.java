package io.csi4j.testkit.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.csi4j.client.CsiPlugin;
import io.csi4j.client.model.CsiConditionException;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.CsiRequestException;
import io.csi4j.client.model.CsiUnsupportedException;
import io.csi4j.client.model.Secrets;
import io.csi4j.client.model.StatusCode;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.When;
import io.csi4j.testkit.model.PluginShape;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class JsonCallTest {

  private static final String VOLUME =
      "{\"name\": \"data\", \"volume_capabilities\": [{\"mount\": {}, \"access_mode\": {\"mode\":"
          + " \"SINGLE_NODE_WRITER\"}}]}";

  private FakeCsiPlugin fake;
  private CsiPlugin plugin;

  @BeforeEach
  void connect() {
    fake = FakeCsiPlugin.open(PluginShape.full());
    plugin = CsiPlugin.connect(fake.endpoint());
  }

  @AfterEach
  void close() {
    plugin.close();
    fake.close();
  }

  private List<String> send(CsiOperation operation, String json) {
    return JsonCall.of(operation, json).send(plugin);
  }

  @Test
  void aVolumeIsMadeListedAndDeletedByItsFields() {
    assertThat(send(CsiOperation.CREATE_VOLUME, VOLUME))
        .singleElement()
        .asString()
        .startsWith("{\"volume\":{")
        .contains("\"volume_id\":");
    String id = fake.contents().volumes().get(0).toString();
    assertThat(send(CsiOperation.LIST_VOLUMES, "{}"))
        .singleElement()
        .asString()
        .contains("\"volume_id\":");
    assertThat(id).isNotEmpty();
    assertThat(send(CsiOperation.GET_PLUGIN_INFO, "{}"))
        .containsExactly("{\"name\":\"fake.csi4j.example\",\"vendor_version\":\"1.0.0\"}");
  }

  @ParameterizedTest
  @EnumSource(CsiOperation.class)
  void everyCallHasFieldsToFillIn(CsiOperation operation) {
    assertThat(JsonCall.fields(operation)).startsWith("{").endsWith("}");
    assertThat(JsonCall.of(operation, "{}").operation()).isEqualTo(operation);
  }

  @Test
  void theFieldsOfACallAreJsonWithTheKindOfEachValue() {
    assertThat(JsonCall.fields(CsiOperation.NODE_UNSTAGE_VOLUME))
        .isEqualTo("{\n  \"volume_id\": \"TEXT\",\n  \"staging_target_path\": \"TEXT\"\n}");
    assertThat(JsonCall.fields(CsiOperation.NODE_PUBLISH_VOLUME))
        .contains("\"secrets\": {\"KEY\": \"TEXT\"}", "\"mount_flags\": [\"TEXT\"]")
        .contains("SINGLE_NODE_WRITER");
  }

  @Test
  void aMistakeInTheFieldsIsNamedAndNoValueRepeated() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> JsonCall.of(CsiOperation.DELETE_VOLUME, "{\"volume\": \"hunter2\"}"))
        .withMessageContaining("DeleteVolumeRequest has no field 'volume'")
        .withMessageNotContaining("hunter2");
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                JsonCall.of(CsiOperation.NODE_GET_INFO, "{}").secrets(Secrets.of(Map.of("k", "v"))))
        .withMessageContaining("has no field 'secrets'");
  }

  @Test
  void aRequestThatBreaksTheSpecIsRefusedBeforeItIsSent() {
    assertThatExceptionOfType(CsiRequestException.class)
        .isThrownBy(() -> send(CsiOperation.DELETE_VOLUME, "{}"))
        .satisfies(refused -> assertThat(refused.code()).isEqualTo(StatusCode.INVALID_ARGUMENT))
        .satisfies(refused -> assertThat(refused.attempts()).isZero());
    assertThat(fake.journal().calls(CsiOperation.DELETE_VOLUME)).isEmpty();
  }

  @Test
  void aCallThatThePluginDoesNotOfferIsRefused() {
    try (FakeCsiPlugin bare = FakeCsiPlugin.open(PluginShape.plain());
        CsiPlugin connected = CsiPlugin.connect(bare.endpoint())) {
      JsonCall call = JsonCall.of(CsiOperation.LIST_VOLUMES, "{}");
      assertThatExceptionOfType(CsiUnsupportedException.class)
          .isThrownBy(() -> call.send(connected));
    }
  }

  @Test
  void aFailureIsExplainedAsThatOfAnyCall() {
    fake.inject(
        Fault.fail(StatusCode.FAILED_PRECONDITION, "busy"),
        When.calling(CsiOperation.DELETE_VOLUME));
    assertThatExceptionOfType(CsiConditionException.class)
        .isThrownBy(() -> send(CsiOperation.DELETE_VOLUME, "{\"volume_id\": \"v1\"}"))
        .withMessageContaining("FAILED_PRECONDITION")
        .withMessageContaining("busy");
  }

  @Test
  void secretsAreNeverShownAndContextsOnlyWhenTheyAreAskedFor() {
    fake.answer(
        CsiOperation.CONTROLLER_PUBLISH_VOLUME,
        request -> Map.of("publish_context", Map.of("device", "/dev/sdz", "key", "open-sesame")));
    JsonCall call =
        JsonCall.of(
                CsiOperation.CONTROLLER_PUBLISH_VOLUME,
                "{\"volume_id\": \"v1\", \"node_id\": \"node-1\", \"volume_capability\": {\"mount\":"
                    + " {}, \"access_mode\": {\"mode\": \"SINGLE_NODE_WRITER\"}}}")
            .secrets(Secrets.of(Map.of("key", "open-sesame")));

    assertThat(call.send(plugin))
        .singleElement()
        .asString()
        .contains("\"device\":\"<redacted>\"", "\"key\":\"<redacted>\"");
    assertThat(call.showingContexts().send(plugin))
        .singleElement()
        .asString()
        .contains("\"device\":\"/dev/sdz\"", "\"key\":\"<redacted>\"");
    assertThat(call).hasToString("JsonCall[ControllerPublishVolume]");
  }
}
