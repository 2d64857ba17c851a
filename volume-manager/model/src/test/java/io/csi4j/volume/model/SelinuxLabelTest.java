package io.csi4j.volume.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.csi4j.client.model.MountFlags;
import io.csi4j.client.model.MountOptions;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SelinuxLabelTest {

  private static final String WEB = "system_u:object_r:container_file_t:s0:c15,c25";

  private static List<String> flags(MountOptions options) {
    return options.flags().orElseThrow().reveal();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        WEB,
        "system_u:object_r:container_file_t",
        "u:r:t:s0",
        "system_u:object_r:container_file_t:s0-s0:c0.c1023"
      })
  void aLabelIsUserRoleTypeAndLevel(String label) {
    assertThat(SelinuxLabel.of(label)).hasToString(label);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "t",
        "u:t",
        "u::t",
        ":r:t",
        "u:r:",
        "u:r:t:",
        "u:r:t,nosuid",
        "u:r:t:s0\"",
        "u:r:t s0",
        "u:r:t:s0\n"
      })
  void whatCouldBeSomethingElseIsNoLabel(String label) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> SelinuxLabel.of(label))
        .withMessageEndingWith(
            "is not an SELinux label. Use user, role, type and level, separated by colons.");
  }

  @Test
  void aLabelHasAtMost255Characters() {
    String longest = "u:r:" + "t".repeat(251);

    assertThat(SelinuxLabel.of(longest).value()).hasSize(255);
    assertThatIllegalArgumentException().isThrownBy(() -> SelinuxLabel.of(longest + "t"));
    assertThat(SelinuxLabel.in(MountFlags.of("context=" + longest + "t"))).isEmpty();
  }

  @Test
  void isAddedAfterAllOtherFlagsAndInTheRoomOfAnotherLabel() {
    SelinuxLabel label = SelinuxLabel.of(WEB);
    String flag = "context=\"" + WEB + "\"";

    assertThat(flags(label.addedTo(MountOptions.none()))).containsExactly(flag);
    assertThat(
            flags(
                label.addedTo(
                    MountOptions.none()
                        .withFlags(MountFlags.of("noatime", "context=u:r:t:s0", "discard")))))
        .containsExactly("noatime", "discard", flag);
    assertThat(label.addedTo(MountOptions.none().withFsType("xfs")).fsType()).contains("xfs");
  }

  @Test
  void isFoundAmongMountFlagsQuotedOrNot() {
    Optional<SelinuxLabel> label = Optional.of(SelinuxLabel.of(WEB));

    assertThat(SelinuxLabel.in(MountFlags.of("noatime", "context=" + WEB))).isEqualTo(label);
    assertThat(SelinuxLabel.in(MountFlags.of("context=\"" + WEB + "\""))).isEqualTo(label);
    for (String other : List.of("fscontext=" + WEB, "context", "context=", "context=secret")) {
      assertThat(SelinuxLabel.in(MountFlags.of(other))).as(other).isEmpty();
      assertThat(SelinuxLabel.without(MountFlags.of(other))).isEqualTo(MountFlags.of(other));
    }
    assertThat(SelinuxLabel.without(MountFlags.of("noatime", "context=" + WEB)))
        .isEqualTo(MountFlags.of("noatime"));
  }
}
