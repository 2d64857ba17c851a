package io.csi4j.volume.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.csi4j.client.model.MountFlags;
import io.csi4j.client.model.MountOptions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MountFlagPolicyTest {

  private static final MountFlagPolicy SMALL =
      MountFlagPolicy.any().withAllowed("noatime", "uid").withAdded("nosuid", "nodev");

  private static String refusal(MountFlagPolicy policy, String... flags) {
    return policy.refusal(MountFlags.of(flags)).map(ReasonText::text).orElse("");
  }

  @Test
  void withoutRulesEveryFlagPassesAndNoneIsAdded() {
    assertThat(refusal(MountFlagPolicy.any(), "suid", "remount,bind", "-o x", "pass=1")).isEmpty();
    MountOptions options = MountOptions.none().withFsType("ext4");
    assertThat(MountFlagPolicy.any().applied(options)).isEqualTo(options);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"suid", "dev", "remount", "bind", "rshared", "SUID", "noatime,suid", "a=1,bind"})
  void whatReachesBeyondTheVolumeIsRefusedToTenants(String flag) {
    assertThat(refusal(MountFlagPolicy.forTenants(), "noatime", flag))
        .startsWith("flag 2 of 2, '")
        .endsWith("is on the host's list of flags that are denied");
  }

  @Test
  void aLabelIsRefusedByItsNameWithoutItsValue() {
    assertThat(refusal(MountFlagPolicy.forTenants(), "context=system_u:object_r:hidden_t:s0"))
        .isEqualTo("flag 1 of 1, 'context', is on the host's list of flags that are denied");
  }

  @ParameterizedTest
  @ValueSource(strings = {"-o suid", "--bind", " suid", "noatime, suid", "a\tb", "a\nb=c"})
  void whatACommandCouldTakeForSomethingElseIsRefused(String flag) {
    assertThat(refusal(MountFlagPolicy.forTenants(), flag))
        .endsWith("begins with a dash or contains a blank, which no mount option does");
  }

  @Test
  void onlyWhatIsAllowedPassesAndNoValueAndNoPossibleSecretIsShown() {
    assertThat(refusal(SMALL, "noatime", "uid=1000", "nosuid")).isEmpty();
    assertThat(refusal(SMALL, "password=hunter2"))
        .isEqualTo("flag 1 of 1, 'password', is not on the host's list of flags that are allowed");
    assertThat(refusal(SMALL, "noatime", "hunter2"))
        .isEqualTo("flag 2 of 2 is not on the host's list of flags that are allowed");
    assertThat(refusal(SMALL, "relatime"))
        .isEqualTo("flag 1 of 1, 'relatime', is not on the host's list of flags that are allowed");
  }

  @Test
  void theOppositeOfWhatEveryMountGetsIsRefused() {
    MountFlagPolicy policy = MountFlagPolicy.any().withAdded("nosuid", "ro", "sync");
    assertThat(refusal(policy, "suid"))
        .isEqualTo("flag 1 of 1, 'suid', is the opposite of 'nosuid', which every mount gets");
    assertThat(refusal(policy, "rw")).contains("the opposite of 'ro'");
    assertThat(refusal(policy, "async")).contains("the opposite of 'sync'");
    assertThat(refusal(policy, "nosuid", "ro", "sync", "dev")).isEmpty();
  }

  @Test
  void whatIsMissingIsAddedOnceAndTheRestStaysAsItIs() {
    MountOptions asked =
        MountOptions.none().withFsType("xfs").withFlags(MountFlags.of("noatime,nodev"));
    assertThat(SMALL.missing(MountFlags.of("noatime,nodev"))).containsExactly("nosuid");
    MountOptions applied = SMALL.applied(asked);
    assertThat(applied.fsType()).contains("xfs");
    assertThat(applied.flags()).contains(MountFlags.of("noatime,nodev", "nosuid"));
    assertThat(SMALL.applied(applied)).isEqualTo(applied);
    assertThat(SMALL.applied(MountOptions.none()).flags())
        .contains(MountFlags.of(List.of("nosuid", "nodev")));
  }

  @Test
  void aPolicyThatContradictsItselfOrNamesNoSingleFlagIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> MountFlagPolicy.any().withDenied("nosuid").withAdded("nosuid"))
        .withMessage("The flag 'nosuid' is both added and denied.");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> MountFlagPolicy.forTenants().withDenied("nosuid"))
        .withMessage("The flag 'nosuid' is both added and denied.");
    for (String none : List.of("", "a,b", " a", "=x")) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> MountFlagPolicy.any().withDenied(none))
          .withMessage("'" + none + "' is no single mount flag.");
    }
  }

  @Test
  void rulesForTenantsCanBeExtended() {
    MountFlagPolicy policy = MountFlagPolicy.forTenants().withDenied("Credentials");

    assertThat(refusal(policy, "credentials=/etc/shadow"))
        .isEqualTo("flag 1 of 1, 'credentials', is on the host's list of flags that are denied");
    assertThat(refusal(policy, "bind")).endsWith("that are denied");
    assertThat(refusal(MountFlagPolicy.forTenants(), "credentials=/etc/shadow")).isEmpty();
    assertThat(policy).isNotEqualTo(MountFlagPolicy.forTenants());
  }

  @Test
  void aPolicySaysItsRules() {
    assertThat(MountFlagPolicy.any()).hasToString("any");
    assertThat(SMALL).hasToString("only [noatime, uid] with [nosuid, nodev]");
    assertThat(MountFlagPolicy.any().withDenied("suid", "dev")).hasToString("any but [dev, suid]");
  }
}
