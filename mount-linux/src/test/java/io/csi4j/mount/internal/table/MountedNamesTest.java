package io.csi4j.mount.internal.table;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.jna.Native;
import io.csi4j.mount.RunningKernel;
import io.csi4j.mount.internal.kernel.Abi;
import io.csi4j.mount.internal.kernel.Kernel;
import io.csi4j.mount.model.KernelText;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.MountRecord;
import io.csi4j.mount.model.MountRef;
import io.csi4j.mount.model.MountSnapshot;
import io.csi4j.mount.real.MountTest;
import io.csi4j.mount.real.Scratch;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Cases E of the mount facts: names are bytes, whatever they are and however the JVM runs. */
@MountTest
class MountedNamesTest {

  private static final String AWKWARD = " \t\n\\#\r\u000b\f\u001b-,:\"'";

  private final Kernel kernel = RunningKernel.kernel();

  @Test
  void whateverIsMountedIsReadAsItWasNamed(Scratch scratch) {
    Map<MountPath, KernelText> mounted = mountRandomNames(scratch, 400, 11);

    MountSnapshot table = new TableReader(kernel).read(mount -> true);
    assertThat(table.skippedRows()).isZero();
    boolean hasNumbers = kernel.features().hasUniqueIds();
    for (Map.Entry<MountPath, KernelText> each : mounted.entrySet()) {
      MountRecord mount = table.at(each.getKey()).orElseThrow();
      assertThat(mount.source()).isEqualTo(each.getValue());
      if (hasNumbers) {
        assertReadByItsNumber(mount, each.getKey());
      }
      assertThat(MountRef.parse(mount.ref().encode())).isEqualTo(mount.ref());
    }
    assertThat(table.matching(mount -> mount.path().isWithin(scratch.path("names"))))
        .extracting(MountRecord::path)
        .containsExactlyElementsOf(mounted.keySet());
  }

  private void assertReadByItsNumber(MountRecord mount, MountPath path) {
    StatmountReader reader = new StatmountReader(kernel);
    long id = ((MountRef.Identity.Unique) mount.ref().identity()).id();
    assertThat(reader.record(id)).contains(mount);
    assertThat(reader.path(id)).contains(path);
  }

  @ParameterizedTest
  @ValueSource(strings = {"POSIX", "C.UTF-8"})
  void anotherEncodingOfTheJvmChangesNothing(String locale, Scratch scratch) throws Exception {
    mountRandomNames(scratch, 60, 12);
    MountPath directory = scratch.path("names");
    File output = scratch.file("output").toFile();
    ProcessBuilder child =
        new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-Xshare:auto",
            "-cp",
            place(MountRecord.class) + ":" + place(MountedNames.class) + ":" + place(Native.class),
            MountedNames.class.getName(),
            HexFormat.of().formatHex(directory.bytes()));
    child.environment().put("LC_ALL", locale);
    Process process = child.redirectErrorStream(true).redirectOutput(output).start();
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();

    List<String> lines =
        Arrays.stream(
                java.nio.file.Files.readString(output.toPath(), StandardCharsets.ISO_8859_1)
                    .split("\n", -1))
            .filter(line -> !line.startsWith("WARNING") && !line.isEmpty())
            .toList();
    assertThat(lines.get(0)).isEqualTo(locale.equals("POSIX") ? "US-ASCII" : "UTF-8");
    assertThat(lines.subList(1, lines.size())).hasSize(60).isEqualTo(MountedNames.below(directory));
  }

  private static String place(Class<?> type) throws URISyntaxException {
    return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI()).toString();
  }

  /** Mounts with random bytes as name and source, by path, in the order of mounting. */
  private Map<MountPath, KernelText> mountRandomNames(Scratch scratch, int count, long seed) {
    Random random = new Random(seed);
    scratch.directory("names");
    Map<MountPath, KernelText> mounted = new LinkedHashMap<>();
    List<MountPath> places = new ArrayList<>(List.of(scratch.path("names")));
    while (mounted.size() < count) {
      MountPath in = places.get(random.nextInt(places.size()));
      byte[] name = name(random);
      MountPath path = MountPath.ofBytes(join(in.bytes(), name));
      byte[] source = name(random);
      if (path.bytes().length > 1_000
          || kernel.calls().mkdirat(Abi.AT_FDCWD, Abi.path(path), 0700) != 0) {
        continue;
      }
      boolean isBind = random.nextBoolean() && !mounted.isEmpty();
      MountPath bound = places.get(places.size() - 1);
      int made =
          isBind
              ? kernel.calls().mount(Abi.path(bound), Abi.path(path), null, Abi.MS_BIND, null)
              : kernel
                  .calls()
                  .mount(
                      Arrays.copyOf(source, source.length + 1),
                      Abi.path(path),
                      Abi.path("tmpfs"),
                      0,
                      null);
      assertThat(made).as("%s", path).isZero();
      mounted.put(path, isBind ? mounted.get(bound) : KernelText.ofBytes(source));
      places.add(path);
    }
    return mounted;
  }

  private static byte[] name(Random random) {
    while (true) {
      byte[] name = new byte[1 + random.nextInt(24)];
      for (int i = 0; i < name.length; i++) {
        name[i] =
            switch (random.nextInt(4)) {
              case 0 -> (byte) AWKWARD.charAt(random.nextInt(AWKWARD.length()));
              case 1 -> (byte) ('a' + random.nextInt(26));
              default -> (byte) (1 + random.nextInt(255));
            };
        name[i] = name[i] == '/' ? (byte) 0xa0 : name[i];
      }
      String text = new String(name, StandardCharsets.ISO_8859_1);
      if (!text.equals(".") && !text.equals("..")) {
        return name;
      }
    }
  }

  private static byte[] join(byte[] directory, byte[] name) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.writeBytes(directory);
    out.write('/');
    out.writeBytes(name);
    return out.toByteArray();
  }
}
