package io.csi4j.volume.internal.layout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.csi4j.client.model.VolumeId;
import io.csi4j.mount.model.MountPath;
import io.csi4j.volume.internal.layout.VolumeLayout.StrayUse;
import io.csi4j.volume.internal.text.HashedName;
import io.csi4j.volume.model.Namespace;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeIdentity;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Paths say nothing of names: they are short, safe, and as different as what they are made of. */
class VolumeLayoutTest {

  private static final Path PAGE =
      Path.of(System.getProperty("csi4j.root", "."), "docs", "state.md");

  private static final VolumeLayout LAYOUT = new VolumeLayout(MountPath.of("/var/lib/csi4j"));

  /** Ids that tenants have tried, or will. */
  static final List<String> HOSTILE =
      List.of(
          "../../etc",
          "/etc",
          "a/../../b",
          ".",
          "..",
          " ",
          "   ",
          "line\nfeed",
          "carriage\rreturn",
          "\u001b[2Jcleared",
          "right\u202eto left",
          "line\u2028separator",
          "\u00e9",
          "e\u0301",
          "K",
          "\u212a",
          "k",
          "Vol",
          "vol",
          "VOL",
          "-",
          "--help",
          "-o suid",
          "state",
          "who",
          "who.new",
          "lock",
          "s",
          "p",
          "t",
          "v",
          ",",
          "=",
          "\\",
          ":",
          "%",
          "%41",
          "A",
          "\\040",
          "\ud83d\udcbe",
          "x".repeat(129),
          "x".repeat(4096),
          "\u20ac".repeat(1365));

  private static VolumeIdentity volume(String handle) {
    return new VolumeIdentity(PluginId.of("hostpath.csi"), VolumeId.of(handle));
  }

  private static VolumeUse usage(String namespace, String volume, String workload) {
    return VolumeUse.of(VolumeKey.of(Namespace.of(namespace), volume), WorkloadId.of(workload));
  }

  private static String last(MountPath path) {
    return path.toString().substring(path.toString().lastIndexOf('/') + 1);
  }

  @Test
  void namesThatOnlyLookAlikeAreDifferentVolumes() {
    for (List<String> twins :
        List.of(
            List.of("\u00e9", "e\u0301"), // composed and decomposed
            List.of("K", "\u212a"), // the letter, and the sign for Kelvin
            List.of("\ufb01", "fi"), // a ligature
            List.of("\u0430", "a"))) { // Cyrillic and Latin
      assertThat(volume(twins.get(0))).isNotEqualTo(volume(twins.get(1)));
      assertThat(LAYOUT.volume(volume(twins.get(0))))
          .as("%s", twins)
          .isNotEqualTo(LAYOUT.volume(volume(twins.get(1))));
      assertThat(VolumeLayout.id(usage("n", twins.get(0), "w")))
          .isNotEqualTo(VolumeLayout.id(usage("n", twins.get(1), "w")));
    }
  }

  @Test
  void aNameThatBeginsLikeAnOptionBecomesNoArgument() {
    for (String option : List.of("-", "--help", "-o suid", "--", "-rf")) {
      VolumeUse use = usage(option, option, option);
      for (MountPath path :
          List.of(
              LAYOUT.volume(volume(option)),
              LAYOUT.staging(volume(option)),
              LAYOUT.target(volume(option), use))) {
        assertThat(path.toString()).startsWith("/var/lib/csi4j/v/").doesNotContain("-");
      }
    }
  }

  @Test
  void theNameOfAPluginNeverBecomesAPath() {
    for (String hostile : List.of("../evil", "/etc", "..", "a/../../b", "x".repeat(1024))) {
      VolumeIdentity posing = new VolumeIdentity(PluginId.of(hostile), VolumeId.of("vol-1"));
      assertThat(VolumeLayout.id(posing)).matches("[a-z2-7]{26}");
      assertThat(LAYOUT.volume(posing).parent()).isEqualTo(LAYOUT.volumes());
    }
    assertThatIllegalArgumentException()
        .isThrownBy(() -> PluginId.of("x".repeat(5120)))
        .withMessageContaining("has 5120 characters. Use 1024 at most");
  }

  @Test
  void everythingOfAVolumeLiesWhereItSays() {
    VolumeIdentity one = volume("vol-1");
    VolumeUse use = usage("a", "db", "web");
    String home = "/var/lib/csi4j/v/skv7o2iec4cvupwq4gw4mvo7k4";

    assertThat(LAYOUT.state()).hasToString("/var/lib/csi4j/state");
    assertThat(LAYOUT.volume(one)).hasToString(home);
    assertThat(LAYOUT.who(one)).hasToString(home + "/who");
    assertThat(LAYOUT.staging(one)).hasToString(home + "/s");
    assertThat(LAYOUT.target(one, use)).hasToString(home + "/p/gz7cp2uo6ugxtylnyw6dfbsjs5/t");
    assertThat(LAYOUT.key(one)).hasToString("VOLUME/skv7o2iec4cvupwq4gw4mvo7k4");
  }

  @Test
  @Tag("D-60")
  void thePageOfTheStateShowsThePathsThatAreUsed() throws IOException {
    String page = Files.readString(PAGE);
    VolumeIdentity one = volume("vol-1");
    VolumeUse use = usage("a", "db", "web");

    for (MountPath path :
        List.of(
            LAYOUT.state(),
            LAYOUT.volume(one),
            LAYOUT.who(one),
            LAYOUT.staging(one),
            LAYOUT.target(one, use))) {
      String shown =
          path.toString()
              .substring("/var/lib/csi4j/".length())
              .replace(last(LAYOUT.volume(one)), "VOLUME")
              .replace(last(LAYOUT.target(one, use).parent()), "USE");
      assertThat(page).containsAnyOf("| `" + shown + "` |", "| `" + shown + "/` |");
    }
  }

  @Test
  void noIdMakesAPathLongerThanEveryPluginTakesUnderARootOfSixtyBytes() {
    VolumeLayout layout = new VolumeLayout(MountPath.of("/" + "r".repeat(59)));
    for (String hostile : HOSTILE) {
      VolumeUse use = usage("n".repeat(1024), "v".repeat(1024), "w".repeat(1024));
      MountPath target = layout.target(volume(hostile), use);

      assertThat(target.bytes())
          .hasSize(60 + VolumeLayout.BELOW_ROOT)
          .hasSizeLessThanOrEqualTo(128);
      assertThat(layout.staging(volume(hostile)).bytes()).hasSizeLessThan(128);
      for (String name : target.toString().split("/", -1)) {
        assertThat(name).hasSizeLessThanOrEqualTo(255);
      }
    }
  }

  @Test
  void hostileIdsMakeNamesOfLowerCaseLettersAndDigitsThatNoFilesystemMixesUp() {
    Set<String> names = new HashSet<>();
    for (String hostile : HOSTILE) {
      String name = VolumeLayout.id(volume(hostile));
      assertThat(name).as("%s", hostile).matches("[a-z2-7]{26}");
      assertThat(name).isEqualTo(name.toLowerCase(Locale.ROOT));
      assertThat(HashedName.isName(name)).isTrue();
      names.add(name);

      MountPath path = LAYOUT.volume(volume(hostile));
      assertThat(path.isWithin(LAYOUT.volumes())).isTrue();
      assertThat(path.parent()).isEqualTo(LAYOUT.volumes());
    }
    assertThat(names).hasSameSizeAs(HOSTILE);
  }

  @Test
  @Tag("F16")
  void hostileNamesOfUsesMakeSafeNamesToo() {
    List<String> possible = HOSTILE.stream().filter(VolumeLayoutTest::canNameAUse).toList();
    Set<String> names = new HashSet<>();
    for (String hostile : possible) {
      names.add(VolumeLayout.id(usage(hostile, "v", "w")));
      names.add(VolumeLayout.id(usage("n", hostile, "w")));
      names.add(VolumeLayout.id(usage("n", "v", hostile)));
    }

    assertThat(possible).hasSizeGreaterThan(30);
    assertThat(names)
        .as("F16: names have lower-case letters and digits alone")
        .hasSize(3 * possible.size())
        .allMatch(HashedName::isName);
  }

  /** Names given by hosts have no control characters and at most 1024 others. */
  private static boolean canNameAUse(String text) {
    return text.length() <= 1024 && text.chars().noneMatch(Character::isISOControl);
  }

  @Test
  @Tag("F13")
  void randomIdsMakeDifferentNames() {
    Random random = new Random(4);
    Set<List<String>> ids = new HashSet<>();
    Set<String> names = new HashSet<>();
    for (int i = 0; i < 20_000; i++) {
      String plugin = text(random, 3);
      String handle = text(random, 4);
      ids.add(List.of(plugin, handle));
      names.add(VolumeLayout.id(new VolumeIdentity(PluginId.of(plugin), VolumeId.of(handle))));
    }

    assertThat(names)
        .as("F13: every id makes a short name")
        .hasSameSizeAs(ids)
        .allMatch(HashedName::isName);
  }

  private static String text(Random random, int most) {
    StringBuilder text = new StringBuilder();
    for (int i = 1 + random.nextInt(most); i > 0; i--) {
      text.append("ab/.\u00e9 ".charAt(random.nextInt(6)));
    }
    return text.toString();
  }

  @Test
  void whatHasANulOrIsNoUnicodeIsNoId() {
    for (String none : List.of("", "a\0b", "\ud83d", "\udcbe\ud83d")) {
      assertThatIllegalArgumentException().isThrownBy(() -> volume(none));
      assertThatIllegalArgumentException().isThrownBy(() -> usage(none, "v", "w"));
      assertThatIllegalArgumentException().isThrownBy(() -> PluginId.of(none));
    }
  }

  @Test
  @Tag("L1")
  void aVolumeMadeAnewUnderItsOldNameGetsOtherPaths() {
    VolumeUse sameName = usage("a", "db", "web");

    assertThat(LAYOUT.staging(volume("vol-2")))
        .as("L1: other paths")
        .isNotEqualTo(LAYOUT.staging(volume("vol-1")));
    assertThat(LAYOUT.target(volume("vol-2"), sameName))
        .isNotEqualTo(LAYOUT.target(volume("vol-1"), sameName));
    assertThat(LAYOUT.key(volume("vol-2"))).isNotEqualTo(LAYOUT.key(volume("vol-1")));
  }

  @Test
  void twoNamesOfOneVolumeShareItsStagingAndHaveATargetEach() {
    VolumeIdentity one = volume("vol-1");
    MountPath first = LAYOUT.target(one, usage("a", "db", "web"));
    MountPath second = LAYOUT.target(one, usage("a", "database", "web"));

    assertThat(first).isNotEqualTo(second);
    assertThat(first.parent().parent()).isEqualTo(second.parent().parent());
    assertThat(LAYOUT.staging(one)).isEqualTo(first.parent().parent().parent().resolve("s"));
  }

  @Test
  void oneNameInTwoNamespacesIsTwoUsesAndSaysNothingOfTheVolume() {
    VolumeIdentity one = volume("vol-1");

    assertThat(LAYOUT.target(one, usage("tenant-b", "db", "web")))
        .isNotEqualTo(LAYOUT.target(one, usage("tenant-a", "db", "web")));
    assertThat(LAYOUT.volume(new VolumeIdentity(PluginId.of("hostpath.csi"), VolumeId.of("vol-1"))))
        .isEqualTo(LAYOUT.volume(one));
    assertThat(LAYOUT.volume(new VolumeIdentity(PluginId.of("other.csi"), VolumeId.of("vol-1"))))
        .isNotEqualTo(LAYOUT.volume(one));
  }

  @Test
  void whatIsEqualHasEqualPathsHoweverItWasMade() {
    Random random = new Random(5);
    for (int i = 0; i < 2000; i++) {
      String volume = text(random, 5);
      String workload = text(random, 5);
      VolumeUse one = usage("n", volume, workload);
      VolumeUse same =
          usage("n", new String(volume.toCharArray()), new String(workload.toCharArray()));
      VolumeUse other = usage("n", workload, volume);

      assertThat(same).isEqualTo(one).hasSameHashCodeAs(one).isEqualByComparingTo(one);
      assertThat(VolumeLayout.id(same)).isEqualTo(VolumeLayout.id(one));
      assertThat(VolumeLayout.id(other).equals(VolumeLayout.id(one)))
          .isEqualTo(volume.equals(workload));
      assertThat(one.compareTo(other) == 0).isEqualTo(one.equals(other));
    }
  }

  @Test
  void theUseOfADirectoryWhoseWorkloadNobodyKnowsHasThatDirectory() {
    VolumeIdentity one = volume("vol-1");
    String directory = VolumeLayout.id(usage("a", "db", "web"));
    VolumeUse stray = StrayUse.of(one, directory);

    assertThat(StrayUse.directory(stray)).contains(directory);
    assertThat(LAYOUT.target(one, stray)).isEqualTo(LAYOUT.target(one, usage("a", "db", "web")));
  }

  @Test
  void noNameOfAWorkloadBecomesAPathThroughTheNamespaceOfStrays() {
    VolumeIdentity one = volume("vol-1");
    String namespace = StrayUse.of(one, "x").volume().namespace().value();
    for (String hostile : List.of("../../../etc", "a/b", ".", "who", "X".repeat(26))) {
      VolumeUse posing = usage(namespace, "db", hostile);

      assertThat(StrayUse.isStray(posing)).as("%s", hostile).isFalse();
      assertThat(LAYOUT.use(one, posing).parent()).isEqualTo(LAYOUT.uses(one));
    }
  }

  @Test
  @Tag("H13")
  void noTwoPathsThatAreMountedOnLieWithinEachOther() {
    List<MountPath> mounted = new ArrayList<>();
    for (String hostile : HOSTILE) {
      VolumeIdentity one = volume(hostile);
      mounted.add(LAYOUT.staging(one));
      for (String workload : List.of("s", "p", "t", "web")) {
        mounted.add(LAYOUT.target(one, usage("n", "v", workload)));
      }
    }
    assertThat(mounted)
        .as("H13: no path lies within another")
        .hasSizeGreaterThan(100)
        .allMatch(one -> mounted.stream().filter(one::isWithin).toList().equals(List.of(one)));
    for (MountPath one : mounted) {
      assertThat(LAYOUT.state().isWithin(one) || one.isWithin(LAYOUT.state())).isFalse();
      assertThat(last(one)).isIn("s", "t");
    }
  }

  @Test
  void thePathsOfAVolumeAreToldFromAllOthersByTheirPlace() {
    for (String path : List.of("v/a/s", "v/a/p/b/t", "v/s/s", "v/p/p/t/t")) {
      assertThat(LAYOUT.isStagingOrTarget(LAYOUT.root().resolve(path))).as(path).isTrue();
      assertThat(LAYOUT.isOwnDirectory(LAYOUT.root().resolve(path))).as(path).isFalse();
    }
    for (String path : List.of("state", "state/lock", "v", "v/a", "v/s", "v/a/p", "v/a/p/b")) {
      assertThat(LAYOUT.isOwnDirectory(LAYOUT.root().resolve(path))).as(path).isTrue();
      assertThat(LAYOUT.isStagingOrTarget(LAYOUT.root().resolve(path))).as(path).isFalse();
    }
    for (String path :
        List.of("s", "t", "v/a/t", "v/a/s/s", "v/a/q/b/t", "v/a/p/b/t/t", "v/a/p/b/s")) {
      assertThat(LAYOUT.isStagingOrTarget(LAYOUT.root().resolve(path))).as(path).isFalse();
      assertThat(LAYOUT.isOwnDirectory(LAYOUT.root().resolve(path))).as(path).isFalse();
    }
    assertThat(LAYOUT.isOwnDirectory(LAYOUT.root())).isTrue();
    assertThat(LAYOUT.isOwnDirectory(LAYOUT.root().parent())).isFalse();
    assertThat(LAYOUT.isStagingOrTarget(MountPath.ROOT)).isFalse();
  }
}
