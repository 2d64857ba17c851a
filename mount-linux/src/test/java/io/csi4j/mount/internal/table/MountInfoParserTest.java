package io.csi4j.mount.internal.table;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.mount.model.DeviceId;
import io.csi4j.mount.model.KernelText;
import io.csi4j.mount.model.MountFlag;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.MountRecord;
import io.csi4j.mount.model.MountRef;
import io.csi4j.mount.model.Propagation;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Cases P and E of the mount facts: what the rows of the kernel's table say. */
class MountInfoParserTest {

  private static final String BOOT = "6f1c9dd2-5a5a-4f0e-9c51-7a4b8d2f0c11";

  @Test
  void aRowSaysAllOfAMount() {
    MountRecord mount =
        only(
            "36 35 98:7 /root /mnt/point ro,nosuid,relatime shared:4 master:2 propagate_from:1"
                + " - ext4 /dev/root rw,errors=continue");

    DeviceId device = new DeviceId(98, 7);
    assertThat(mount)
        .isEqualTo(
            new MountRecord(
                new MountRef(
                    MountPath.of("/mnt/point"),
                    BOOT,
                    new MountRef.Identity.Reusable(36, device, KernelText.of("/root"))),
                36,
                35,
                OptionalLong.empty(),
                device,
                KernelText.of("/root"),
                Set.of(MountFlag.READ_ONLY, MountFlag.NOSUID, MountFlag.RELATIME),
                new Propagation.Tags(OptionalInt.of(4), OptionalInt.of(2), false, List.of()),
                KernelText.of("ext4"),
                KernelText.of("/dev/root"),
                List.of(KernelText.of("rw"), KernelText.of("errors=continue"))));
  }

  @ParameterizedTest
  @CsvSource({
    "a\\040b, 'a b'",
    "a\\011b, 'a\tb'",
    "a\\012b, 'a\nb'",
    "a\\134b, 'a\\b'",
    "a\\043b, 'a#b'",
    "\\12, '\\12'",
    "\\x, '\\x'",
    "\\0, '\\0'",
    "\\, '\\'",
    "\\400, '\\400'",
    "\\048, '\\048'",
    "\\134040, '\\040'",
    "\\134\\040, '\\ '",
    "#, '#'",
    "-, '-'"
  })
  @Tag("H10")
  void escapesAreUndoneOnceInEveryName(String written, String meant) {
    MountRecord mount =
        only("1 2 3:4 /" + written + " /" + written + " rw - " + written + " " + written + " rw");

    assertThat(mount.root())
        .as("H10: escapes are undone once")
        .isEqualTo(KernelText.of("/" + meant));
    assertThat(mount.path()).isEqualTo(MountPath.of("/" + meant));
    assertThat(mount.type()).isEqualTo(KernelText.of(meant));
    assertThat(mount.source()).isEqualTo(KernelText.of(meant));
  }

  /** E: bytes are bytes, whatever the encoding of the JVM. */
  @Test
  void everyByteOfANameIsKept() {
    for (int b = 1; b <= 0xff; b++) {
      if (b != ' ' && b != '\n' && b != '/') {
        byte[] name = {'/', 'n', (byte) b, 'm'};
        ByteArrayOutputStream row = new ByteArrayOutputStream();
        row.writeBytes(bytes("1 2 3:4 / "));
        row.writeBytes(name);
        row.writeBytes(bytes(" rw - tmpfs x" + " rw"));

        TableRows rows = MountInfoParser.parse(row.toByteArray(), BOOT);

        assertThat(rows.skipped()).as("byte %02x", b).isZero();
        assertThat(rows.records().get(0).path().bytes()).as("byte %02x", b).isEqualTo(name);
      }
    }
  }

  @Test
  void anEmptySourceIsNothingBetweenTwoBlanks() {
    MountRecord mount = only("1 2 3:4 / /m rw - tmpfs  rw,size=1k");

    assertThat(mount.source().isEmpty()).isTrue();
    assertThat(mount.options()).containsExactly(KernelText.of("rw"), KernelText.of("size=1k"));
  }

  @Test
  void theFirstLoneDashEndsTheTags() {
    MountRecord mount = only("1 2 3:4 /- /- rw a-b -- -x - - - a - b");

    assertThat(mount.propagation().unknown())
        .containsExactly(KernelText.of("a-b"), KernelText.of("--"), KernelText.of("-x"));
    assertThat(mount.type()).isEqualTo(KernelText.of("-"));
    assertThat(mount.source()).isEqualTo(KernelText.of("-"));
    assertThat(mount.options()).containsExactly(KernelText.of("a - b"));
  }

  @ParameterizedTest
  @CsvSource({
    "'', private",
    "shared:7, shared:7",
    "master:3, master:3",
    "'shared:7 master:3 propagate_from:2', 'shared:7,master:3'",
    "'master:3 propagate_from:x', 'master:3,propagate_from:x'",
    "unbindable, unbindable",
    "'shared:7 newer:1 newest', 'shared:7,newer:1,newest'",
    "shared:x, shared:x"
  })
  void tagsSayWithWhomItShares(String tags, String meaning) {
    MountRecord mount = only("1 2 3:4 / /m rw " + (tags.isEmpty() ? "" : tags + " ") + "- t s rw");

    assertThat(mount.propagation()).hasToString(meaning);
  }

  @Test
  void optionsOfAServerMayHoldBlanks() {
    MountRecord mount =
        only("1 2 3:4 / /m rw - cifs \\\\srv\\my rw,unc=\\\\srv\\my - share,user=a");

    assertThat(mount.options())
        .containsExactly(
            KernelText.of("rw"), KernelText.of("unc=\\\\srv\\my - share"), KernelText.of("user=a"));
  }

  @Test
  void theOrderOfRowsIsKeptAlsoIfAChildComesBeforeItsParent() {
    TableRows rows = parse("9 8 0:1 / /a/b rw - tmpfs x rw\n8 1 0:2 / /a rw - tmpfs x rw\n");

    assertThat(rows.records()).extracting(MountRecord::id).containsExactly(9, 8);
  }

  @Test
  void aRowMayCrossAnyNumberOfReads() {
    byte[] row =
        bytes("7 1 0:1 / /m rw - overlay overlay rw,lowerdir=" + "/layer:".repeat(900) + "\n");
    for (int size : new int[] {1, 7, 4096, row.length - 1, row.length}) {
      TableRows rows = Pieces.parse(row, BOOT, most -> size);

      assertThat(rows).isEqualTo(MountInfoParser.parse(row, BOOT));
      assertThat(rows.records()).hasSize(1);
    }
  }

  @Test
  void theLastRowNeedsNoNewline() {
    assertThat(parse("1 2 3:4 / /m rw - t s rw\n2 2 3:4 / /n rw - t s rw").records()).hasSize(2);
    assertThat(parse("")).isEqualTo(new TableRows(List.of(), 0));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "garbage",
        "1 2 3:4 / /m rw shared:1 ext4 /dev/root rw",
        "1 2 3:4 / /m rw - ext4 /dev/root",
        "1 2 3:4 / /m rw -",
        "1 2 3 / /m rw - t s rw",
        "x 2 3:4 / /m rw - t s rw",
        "1  2 3:4 / /m rw - t s rw",
        "2147483648 2 3:4 / /m rw - t s rw",
        "1 2 3:99999999999999999999 / /m rw - t s rw",
        "1 2 3:4 / relative rw - t s rw",
        "1 2 3:4 / /a/../b rw - t s rw",
        "1 2 3:4 / /a\\000 rw - t s rw"
      })
  void aRowWithoutSenseIsCountedAndTheRestIsRead(String row) {
    TableRows rows =
        parse("8 1 0:1 / /a rw - t s rw\n" + row + "\n9 1 0:1 / /b rw - t s rw,secret=x\n");

    assertThat(rows.records()).extracting(MountRecord::id).containsExactly(8, 9);
    assertThat(rows.skipped()).isEqualTo(1);
  }

  @Test
  void aRowLongerThanAnyCanBeIsCountedAndTheRestIsRead() {
    String start = "7 1 0:1 / /m rw - overlay overlay rw,lowerdir=";
    String longest = start + "x".repeat(MountInfoParser.LONGEST_ROW - start.length());
    String table =
        longest + "\n" + longest + "y\n" + longest.repeat(4) + "\n8 1 0:1 / /a rw - t s rw\n";
    for (int size : new int[] {8192, table.length()}) {
      TableRows rows = Pieces.parse(bytes(table), BOOT, most -> size);

      assertThat(rows.records()).extracting(MountRecord::id).containsExactly(7, 8);
      assertThat(rows.skipped()).isEqualTo(2);
    }
  }

  @Test
  void theEndOfARowLongerThanAnyCanBeIsNoRow() {
    int piece = 4096;
    byte[] table =
        bytes("x".repeat(MountInfoParser.LONGEST_ROW + piece) + "8 1 0:1 / /a rw - t s rw\n");

    TableRows rows = Pieces.parse(table, BOOT, most -> piece);

    assertThat(rows).isEqualTo(new TableRows(List.of(), 1));
  }

  @Test
  void aNameCannotForgeARow() {
    TableRows rows = parse("1 2 3:4 / /a\\01299\\0401\\0400:1\\040/\\040/forged rw - t s rw\n");

    assertThat(rows.records()).hasSize(1);
    assertThat(rows.records().get(0).path()).isEqualTo(MountPath.of("/a\n99 1 0:1 / /forged"));
  }

  @Test
  void whatIsWrittenIsReadAgain() {
    Random random = new Random(20_251_121);
    for (int round = 0; round < 300; round++) {
      List<MountRecord> mounts = new ArrayList<>();
      for (int i = random.nextInt(8); i >= 0; i--) {
        mounts.add(mount(random));
      }

      TableRows rows = MountInfoParser.parse(RowText.table(mounts), BOOT);

      assertThat(rows).isEqualTo(new TableRows(mounts, 0));
    }
  }

  /** Any mount that a kernel could tell of. */
  private static MountRecord mount(Random random) {
    int id = random.nextInt(Integer.MAX_VALUE);
    DeviceId device = new DeviceId(random.nextInt(4096), random.nextInt(1 << 20));
    KernelText root = KernelText.ofBytes(name(random));
    Set<MountFlag> flags = EnumSet.noneOf(MountFlag.class);
    List<MountFlag> all = List.of(MountFlag.values());
    for (int i = random.nextInt(6); i > 0; i--) {
      flags.add(all.get(random.nextInt(all.size())));
    }
    return new MountRecord(
        new MountRef(
            MountPath.ofBytes(name(random)),
            BOOT,
            new MountRef.Identity.Reusable(id, device, root)),
        id,
        random.nextInt(Integer.MAX_VALUE),
        OptionalLong.empty(),
        device,
        root,
        flags,
        new Propagation.Tags(
            group(random),
            group(random),
            random.nextBoolean(),
            random.nextInt(9) == 0 ? List.of(KernelText.of("later:1")) : List.of()),
        KernelText.ofBytes(name(random)),
        KernelText.ofBytes(random.nextBoolean() ? new byte[0] : name(random)),
        List.of(KernelText.of("rw"), KernelText.of("a b"), KernelText.of("lowerdir=x\\054y")));
  }

  private static OptionalInt group(Random random) {
    return random.nextBoolean() ? OptionalInt.empty() : OptionalInt.of(1 + random.nextInt(1 << 20));
  }

  private static byte[] name(Random random) {
    byte[] name = new byte[2 + random.nextInt(random.nextInt(10) == 0 ? 4000 : 30)];
    random.nextBytes(name);
    for (int i = 0; i < name.length; i++) {
      // No part is empty or made of dots, and none ends the path.
      if (name[i] == 0 || name[i] == '/' || name[i] == '.') {
        name[i] = 'x';
      }
      if (random.nextInt(12) == 0) {
        name[i] = (byte) " \t\n\\#-0".charAt(random.nextInt(7));
      }
    }
    name[0] = '/';
    return name;
  }

  private static MountRecord only(String row) {
    TableRows rows = parse(row + "\n");
    assertThat(rows.skipped()).isZero();
    assertThat(rows.records()).hasSize(1);
    return rows.records().get(0);
  }

  private static TableRows parse(String table) {
    return MountInfoParser.parse(bytes(table), BOOT);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
