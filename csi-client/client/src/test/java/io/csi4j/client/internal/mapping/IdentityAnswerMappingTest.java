package io.csi4j.client.internal.mapping;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.BoolValue;
import io.csi4j.client.identity.IdentityService.PluginInfo;
import io.csi4j.client.identity.IdentityService.Readiness;
import io.csi4j.client.identity.PluginCapability;
import io.csi4j.client.internal.proto.GetPluginCapabilitiesRequest;
import io.csi4j.client.internal.proto.GetPluginCapabilitiesResponse;
import io.csi4j.client.internal.proto.GetPluginInfoRequest;
import io.csi4j.client.internal.proto.GetPluginInfoResponse;
import io.csi4j.client.internal.proto.ProbeRequest;
import io.csi4j.client.internal.proto.ProbeResponse;
import io.csi4j.client.model.CapabilitySet;
import io.csi4j.client.model.PluginName;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class IdentityAnswerMappingTest {

  @Test
  void aGoodInfoComesThroughWithoutFindings() {
    var answer =
        info(
            GetPluginInfoResponse.newBuilder()
                .setName("ebs.csi.aws.com")
                .setVendorVersion("v1.2")
                .putManifest("commit", "abc"));
    assertThat(answer.get())
        .isEqualTo(
            new IdentityResults.PluginInfoValue(
                PluginName.of("ebs.csi.aws.com"), "v1.2", Map.of("commit", "abc")));
    assertThat(answer.warnings()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "'', REQUIRED, it is empty",
    "0123456789012345678901234567890123456789012345678901234567890123, TOO_LARGE, 64 characters",
    "-x, CHARACTERS, letter or digit at both ends",
    "a..b, CHARACTERS, empty part between dots",
    "A B, CHARACTERS, 'letters, digits and dashes'",
    "../x, CHARACTERS, empty part between dots"
  })
  void aNameThatBreaksARuleIsRefusedWithTheRule(String name, String rule, String reason) {
    var answer = info(GetPluginInfoResponse.newBuilder().setName(name).setVendorVersion("1"));
    assertThat(answer.violations()).containsExactly("name " + rule);
    assertThat(answer.details().get(0)).contains(reason);
  }

  @Test
  void aHugeNameIsCutInTheReport() {
    var answer = info(GetPluginInfoResponse.newBuilder().setName("\u001b".repeat(1 << 20)));
    assertThat(answer.violations()).containsExactly("name TOO_LARGE");
    assertThat(answer.details().get(0)).hasSizeLessThan(1000).doesNotContain("\u001b");
  }

  @Test
  void anEmptyVersionIsOnlyReported() {
    var answer = info(GetPluginInfoResponse.newBuilder().setName("a"));
    assertThat(answer.get().vendorVersion()).isEmpty();
    assertThat(answer.warnings()).containsExactly("vendor_version REQUIRED");
  }

  @Test
  void versionAndManifestAreEscapedAndBounded() {
    var response =
        GetPluginInfoResponse.newBuilder()
            .setName("a")
            .setVendorVersion("\n".repeat(1 << 20))
            .putManifest("\u001b[2J", "x".repeat(5000));
    PluginInfo info = info(response).get();
    assertThat(info.vendorVersion()).startsWith("\\n\\n").hasSizeLessThan(1100);
    assertThat(info.manifest()).containsOnlyKeys("\\u001b[2J");
    assertThat(info.manifest().get("\\u001b[2J")).hasSizeLessThan(1100);

    for (int i = 0; i < 10_000; i++) {
      response.putManifest("key" + i, "");
    }
    var many = info(response);
    assertThat(many.get().manifest()).hasSize(256);
    assertThat(many.warnings()).containsExactly("manifest TOO_LARGE");
  }

  @Test
  void everyPluginCapabilityIsKnown() {
    var response = GetPluginCapabilitiesResponse.newBuilder();
    for (int number = 1; number <= 5; number++) {
      service(response, number);
    }
    expansion(response, 1);
    expansion(response, 2);
    var answer = capabilities(response);
    assertThat(answer.offered()).containsExactlyInAnyOrder(PluginCapability.values());
    assertThat(answer.unrecognized()).isEmpty();
  }

  @Test
  void whatIsNotKnownIsNotedAndDuplicatesCollapse() {
    var response = GetPluginCapabilitiesResponse.newBuilder();
    service(response, 1);
    service(response, 1);
    service(response, 0);
    service(response, 99);
    expansion(response, 99);
    expansion(response, -1);
    response.addCapabilitiesBuilder();
    var answer = capabilities(response);
    assertThat(answer.offered()).containsExactly(PluginCapability.CONTROLLER_SERVICE);
    assertThat(answer.unrecognized())
        .containsExactlyInAnyOrder(
            "service 0", "service 99", "volume_expansion 99", "volume_expansion -1", "empty");
  }

  @Tag("campaign")
  @Test
  void aMillionUnknownCapabilitiesDoNoHarm() {
    var response = GetPluginCapabilitiesResponse.newBuilder();
    for (int i = 0; i < 1_000_000; i++) {
      service(response, 1000 + i % 1000);
    }
    service(response, 1);
    var answer = capabilities(response);
    assertThat(answer.offers(PluginCapability.CONTROLLER_SERVICE)).isTrue();
    assertThat(answer.unrecognized()).hasSize(CapabilityTally.LIMIT);
  }

  @Test
  void aProbeWithoutAnAnswerCountsAsReady() {
    assertThat(probe(ProbeResponse.getDefaultInstance())).isEqualTo(Readiness.ASSUMED_READY);
    assertThat(probe(ProbeResponse.newBuilder().setReady(BoolValue.of(true)).build()))
        .isEqualTo(Readiness.READY);
    assertThat(probe(ProbeResponse.newBuilder().setReady(BoolValue.of(false)).build()))
        .isEqualTo(Readiness.NOT_READY);
  }

  private static Readiness probe(ProbeResponse response) {
    return IdentityAnswerMapping.probe(
        ProbeRequest.getDefaultInstance(), response, new AnswerFindings());
  }

  private static MappedAnswer<PluginInfo> info(GetPluginInfoResponse.Builder response) {
    return MappedAnswer.of(
        findings ->
            IdentityAnswerMapping.getPluginInfo(
                GetPluginInfoRequest.getDefaultInstance(), response.build(), findings));
  }

  private static CapabilitySet<PluginCapability> capabilities(
      GetPluginCapabilitiesResponse.Builder response) {
    return IdentityAnswerMapping.getPluginCapabilities(
        GetPluginCapabilitiesRequest.getDefaultInstance(), response.build(), new AnswerFindings());
  }

  private static void service(GetPluginCapabilitiesResponse.Builder response, int number) {
    response.addCapabilitiesBuilder().getServiceBuilder().setTypeValue(number);
  }

  private static void expansion(GetPluginCapabilitiesResponse.Builder response, int number) {
    response.addCapabilitiesBuilder().getVolumeExpansionBuilder().setTypeValue(number);
  }
}
