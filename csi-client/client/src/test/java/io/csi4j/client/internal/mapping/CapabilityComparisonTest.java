package io.csi4j.client.internal.mapping;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.controller.ValidationResult;
import io.csi4j.client.controller.ValidationResult.Confirmed;
import io.csi4j.client.controller.ValidationResult.Mismatch;
import io.csi4j.client.controller.ValidationResult.Policy;
import io.csi4j.client.controller.ValidationResult.Unconfirmed;
import io.csi4j.client.internal.proto.ValidateVolumeCapabilitiesRequest;
import io.csi4j.client.internal.proto.ValidateVolumeCapabilitiesResponse;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.MountFlags;
import io.csi4j.client.model.MountOptions;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.model.VolumeContext;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CapabilityComparisonTest {

  private static final VolumeCapability BLOCK =
      VolumeCapability.block(AccessMode.SINGLE_NODE_WRITER);
  private static final VolumeCapability PLAIN =
      VolumeCapability.mount(AccessMode.SINGLE_NODE_WRITER);
  private static final VolumeCapability EXT4 =
      VolumeCapability.mount(
          AccessMode.SINGLE_NODE_WRITER,
          MountOptions.none()
              .withFsType("ext4")
              .withFlags(MountFlags.of("noatime", "password=hunter2"))
              .withVolumeMountGroup("7"));

  private final ValidateVolumeCapabilitiesRequest.Builder request =
      ValidateVolumeCapabilitiesRequest.newBuilder();
  private final ValidateVolumeCapabilitiesResponse.Builder response =
      ValidateVolumeCapabilitiesResponse.newBuilder();

  @Test
  void aMissingConfirmationIsNeitherYesNorNo() {
    ask(BLOCK);
    response.setMessage("no\nidea");
    assertThat(compare()).isEqualTo(new Unconfirmed("no\\nidea"));
    expectAccepted(Policy.ALL_OR_NOTHING, Policy.LENIENT);
  }

  @Test
  void everythingConfirmedIsConfirmed() {
    ask(BLOCK, EXT4);
    request.putVolumeContext("c", "1").putParameters("p", "2").putMutableParams("m", "3");
    confirm(EXT4, BLOCK);
    response
        .getConfirmedBuilder()
        .putVolumeContext("c", "1")
        .putParameters("p", "2")
        .putMutableParams("m", "3");
    assertThat(compare())
        .isInstanceOfSatisfying(
            Confirmed.class,
            confirmed -> {
              assertThat(confirmed.confirmation().capabilities()).containsExactly(EXT4, BLOCK);
              assertThat(confirmed.confirmation().volumeContext())
                  .isEqualTo(VolumeContext.of(Map.of("c", "1")));
              assertThat(confirmed.confirmation().parameters()).containsEntry("p", "2");
              assertThat(confirmed.confirmation().mutableParameters()).containsEntry("m", "3");
            });
  }

  @Test
  void nomadT01_blockIsConfirmedByBlock() {
    ask(BLOCK);
    confirm(BLOCK);
    assertThat(compare()).isInstanceOf(Confirmed.class);
  }

  @Test
  void nomadT01_anEarlierMismatchDoesNotSpoilALaterMatch() {
    ask(EXT4);
    confirm(EXT4.withAccessMode(AccessMode.MULTI_NODE_READER_ONLY), BLOCK, EXT4);
    assertThat(compare()).isInstanceOf(Confirmed.class);
  }

  @Test
  void moreThanWasAskedForMayBeConfirmed() {
    ask(PLAIN);
    confirm(EXT4, BLOCK);
    response.getConfirmedBuilder().putParameters("extra", "1").putVolumeContext("extra", "1");
    assertThat(compare()).isInstanceOf(Confirmed.class);
  }

  @Test
  void theOrderOfFlagsDoesNotMatter() {
    ask(flags("a", "b", "c"));
    confirm(flags("c", "x", "b", "a"));
    assertThat(compare()).isInstanceOf(Confirmed.class);
  }

  @Test
  void nomadS07_everyFlagHasToBeConfirmedAndNoneIsShown() {
    ask(flags("noatime", "password=hunter2", "ro"));
    confirm(flags("noatime", "ro"));
    expect(false, "volume_capabilities[0].mount.mount_flags REQUIRED");
    expectAccepted(Policy.LENIENT);
    assertThat(details())
        .containsExactly(
            "volume_capabilities[0].mount.mount_flags asked 3 flags, confirmed 2 of them");

    response.clear();
    confirm(flags("noatime", "password=secret3", "ro"));
    expect(true, "volume_capabilities[0].mount.mount_flags MISMATCH");
    assertThat(details().toString()).doesNotContain("hunter2", "secret3", "noatime");
  }

  @Test
  void whatIsLeftOutDoesNotContradict() {
    ask(EXT4);
    request.putVolumeContext("c", "1").putParameters("p", "2").putMutableParams("m", "3");
    response
        .getConfirmedBuilder()
        .addVolumeCapabilitiesBuilder()
        .getMountBuilder(); // no mode, no filesystem, no flags, no group
    expect(
        false,
        "volume_capabilities[0].access_mode.mode REQUIRED",
        "volume_capabilities[0].mount.fs_type REQUIRED",
        "volume_capabilities[0].mount.mount_flags REQUIRED",
        "volume_capabilities[0].mount.volume_mount_group REQUIRED",
        "volume_context REQUIRED",
        "parameters REQUIRED",
        "mutable_parameters REQUIRED");
    expectAccepted(Policy.LENIENT);
  }

  @Test
  void nomadS17_aMapLeftOutAsAWholeIsNothingSaidAndAPartOfOneIsAMismatch() {
    ask(EXT4);
    request.putVolumeContext("c", "1").putParameters("p", "2").putMutableParams("m", "3");
    confirm(EXT4);
    expect(false, "volume_context REQUIRED", "parameters REQUIRED", "mutable_parameters REQUIRED");
    expectAccepted(Policy.ALL_OR_NOTHING, Policy.LENIENT);

    request.putParameters("q", "4");
    response.getConfirmedBuilder().putParameters("p", "2");
    expect(
        false, "volume_context REQUIRED", "parameters[q] REQUIRED", "mutable_parameters REQUIRED");
    expectAccepted(Policy.LENIENT);
  }

  @Test
  void whatIsSaidOtherwiseContradicts() {
    ask(EXT4);
    request.putVolumeContext("c", "1").putParameters("p", "2").putMutableParams("m", "3");
    confirm(
        VolumeCapability.mount(
            AccessMode.MULTI_NODE_READER_ONLY,
            MountOptions.none()
                .withFsType("xfs")
                .withFlags(MountFlags.of("sync"))
                .withVolumeMountGroup("8")));
    response
        .getConfirmedBuilder()
        .putVolumeContext("c", "token")
        .putParameters("p", "other")
        .putMutableParams("m", "other");
    expect(
        true,
        "volume_capabilities[0].access_mode.mode MISMATCH",
        "volume_capabilities[0].mount.fs_type MISMATCH",
        "volume_capabilities[0].mount.mount_flags MISMATCH",
        "volume_capabilities[0].mount.volume_mount_group MISMATCH",
        "volume_context[c] MISMATCH",
        "parameters[p] MISMATCH",
        "mutable_parameters[m] MISMATCH");
    assertThat(details().toString()).doesNotContain("token", "hunter2", "sync");
    expectAccepted();
  }

  @Test
  void anUnknownModeContradicts() {
    ask(BLOCK);
    confirm(BLOCK);
    response
        .getConfirmedBuilder()
        .getVolumeCapabilitiesBuilder(0)
        .getAccessModeBuilder()
        .setModeValue(99);
    expect(true, "volume_capabilities[0].access_mode.mode MISMATCH");
  }

  @Test
  void anotherAccessTypeContradictsAndNoneDoesNot() {
    ask(BLOCK);
    confirm(PLAIN);
    expect(true, "volume_capabilities[0].access_type MISMATCH");
    response.getConfirmedBuilder().getVolumeCapabilitiesBuilder(0).clearMount();
    expect(false, "volume_capabilities[0].access_type REQUIRED");
    expectAccepted(Policy.LENIENT);
    response.getConfirmedBuilder().getVolumeCapabilitiesBuilder(0).clearAccessMode();
    expect(
        false,
        "volume_capabilities[0].access_mode.mode REQUIRED",
        "volume_capabilities[0].access_type REQUIRED");
  }

  @Test
  void nomadS16_anEmptyConfirmationSaysAsLittleAsNone() {
    ask(BLOCK, PLAIN);
    response.setMessage("well").getConfirmedBuilder();
    assertThat(compare()).isEqualTo(new Unconfirmed("well"));
  }

  @Test
  void oneFlagAndOneEntryAreCountedAsOne() {
    ask(flags("ro"));
    confirm(flags());
    assertThat(compare()).isNotInstanceOf(Confirmed.class);
    assertThat(details())
        .containsExactly("volume_capabilities[0].mount.mount_flags asked 1 flag, confirmed none");

    request.clear();
    response.clear();
    ask(BLOCK);
    request.putParameters("p", "1");
    response.getConfirmedBuilder().putParameters("p", "1");
    assertThat(compare()).isNotInstanceOf(Confirmed.class);
    assertThat(details()).containsExactly("volume_capabilities asked 1 entry, confirmed none");
  }

  @Test
  void anEmptyListOfCapabilitiesBesideSomethingElseIsAnOmission() {
    ask(BLOCK, PLAIN);
    request.putParameters("p", "1");
    response.getConfirmedBuilder().putParameters("p", "1");
    expect(false, "volume_capabilities REQUIRED");
    expectAccepted(Policy.LENIENT);
    assertThat(details()).containsExactly("volume_capabilities asked 2 entries, confirmed none");
  }

  @Test
  void aCapabilityAbsentFromAShorterListIsAnOmission() {
    ask(BLOCK, EXT4, PLAIN.withAccessMode(AccessMode.MULTI_NODE_MULTI_WRITER));
    confirm(EXT4);
    expect(false, "volume_capabilities[0] REQUIRED", "volume_capabilities[2] REQUIRED");
  }

  @Test
  void everyCapabilityIsComparedWithTheOneClosestToIt() {
    VolumeCapability shared = BLOCK.withAccessMode(AccessMode.MULTI_NODE_MULTI_WRITER);
    ask(EXT4, shared);
    confirm(
        shared.withAccessMode(AccessMode.MULTI_NODE_SINGLE_WRITER),
        VolumeCapability.mount(
            AccessMode.SINGLE_NODE_WRITER,
            MountOptions.none()
                .withFlags(MountFlags.of("noatime", "password=hunter2"))
                .withVolumeMountGroup("7")));
    expect(
        true,
        "volume_capabilities[0].mount.fs_type REQUIRED",
        "volume_capabilities[1].access_mode.mode MISMATCH");
  }

  @Test
  void aMapConfirmedInPartIsAnOmission() {
    request.putParameters("a", "1").putParameters("b", "2");
    response.getConfirmedBuilder().putParameters("a", "1");
    expect(false, "parameters[b] REQUIRED");
    expectAccepted(Policy.LENIENT);
  }

  @Test
  void anAbsurdConfirmationIsBoundedOrRefused() {
    ask(BLOCK);
    for (int i = 0; i < 1000; i++) {
      response.getConfirmedBuilder().addVolumeCapabilitiesBuilder();
    }
    var answer = mapped();
    assertThat(answer.warnings()).containsExactly("confirmed.volume_capabilities TOO_LARGE");
    assertThat(answer.get()).isInstanceOf(Mismatch.class);
    response.getConfirmedBuilder().putVolumeContext("k", "x".repeat(1 << 17));
    assertThat(mapped().violations()).containsExactly("confirmed.volume_context TOO_LARGE");
  }

  @Test
  void theMessageIsScrubbedEscapedAndCut() {
    response.setMessage("hunter2\u001b".repeat(1000));
    String message =
        CapabilityComparison.compare(
                request.build(),
                response.build(),
                new AnswerFindings(text -> text.replace("hunter2", "***")))
            .message();
    assertThat(message).startsWith("***\\u001b").doesNotContain("hunter2").hasSizeLessThan(1100);
  }

  private static VolumeCapability flags(String... flags) {
    return VolumeCapability.mount(
        AccessMode.SINGLE_NODE_WRITER, MountOptions.none().withFlags(MountFlags.of(flags)));
  }

  private void ask(VolumeCapability... capabilities) {
    request.addAllVolumeCapabilities(ValueMapping.toProto(List.of(capabilities)));
  }

  private void confirm(VolumeCapability... capabilities) {
    response
        .getConfirmedBuilder()
        .addAllVolumeCapabilities(ValueMapping.toProto(List.of(capabilities)));
  }

  private void expect(boolean contradicts, String... differences) {
    assertThat(compare())
        .isInstanceOfSatisfying(
            Mismatch.class,
            mismatch -> {
              assertThat(mismatch.differences())
                  .extracting(each -> each.field() + " " + each.rule())
                  .containsExactly(differences);
              assertThat(mismatch.contradicts()).isEqualTo(contradicts);
            });
  }

  private void expectAccepted(Policy... policies) {
    assertThat(Policy.values())
        .filteredOn(policy -> compare().isAcceptable(policy))
        .containsExactly(policies);
  }

  private List<String> details() {
    return ((Mismatch) compare()).differences().stream().map(Object::toString).toList();
  }

  private ValidationResult compare() {
    return mapped().get();
  }

  private MappedAnswer<ValidationResult> mapped() {
    return MappedAnswer.of(
        findings -> CapabilityComparison.compare(request.build(), response.build(), findings));
  }
}
