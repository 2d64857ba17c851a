package io.csi4j.volume.internal.disk;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.FilterReader;
import java.io.IOException;
import java.io.StringReader;
import org.junit.jupiter.api.Test;

class MountedDevicesTest {

  private static final String ROWS =
      """
      21 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
      22 21 0:5 / /proc rw - proc proc rw
      23 21 8:17 / /var/lib/a\\040- rw shared:4 master:1 - xfs /dev/sdb1 rw
      24 21 0:60 / /mnt rw - fuse.sshfs host:/ rw
      garbage 8:33 8:33
      25 21 8:49 / /no-dash rw shared:9 ext4 /dev/sdd1 rw
      26 21 8:65 / /no-type rw -
      """;

  @Test
  void theTypeIsTheFieldAfterTheDashHoweverManyAreBeforeIt() throws IOException {
    assertThat(MountedDevices.type("8:1", new StringReader(ROWS))).contains("ext4");
    assertThat(MountedDevices.type("0:5", new StringReader(ROWS))).contains("proc");
    assertThat(MountedDevices.type("8:17", new StringReader(ROWS))).contains("xfs");
    assertThat(MountedDevices.type("0:60", new StringReader(ROWS))).contains("fuse.sshfs");
  }

  @Test
  void aDeviceWithoutARowThatMakesSenseHasNoType() throws IOException {
    assertThat(MountedDevices.type("8:2", new StringReader(ROWS))).isEmpty();
    assertThat(MountedDevices.type("8:33", new StringReader(ROWS))).isEmpty();
    assertThat(MountedDevices.type("8:49", new StringReader(ROWS))).isEmpty();
    assertThat(MountedDevices.type("8:65", new StringReader(ROWS))).isEmpty();
  }

  @Test
  void nothingIsReadAfterTheDeviceWasFound() throws IOException {
    Counting rows = new Counting(ROWS.repeat(10_000));

    assertThat(MountedDevices.type("8:17", rows)).contains("xfs");
    assertThat(rows.read).isLessThanOrEqualTo(8192);
  }

  /** Counts what is taken from it. */
  private static final class Counting extends FilterReader {
    private int read;

    Counting(String text) {
      super(new StringReader(text));
    }

    @Override
    public int read(char[] to, int from, int most) throws IOException {
      int count = super.read(to, from, most);
      read += count;
      return count;
    }
  }
}
