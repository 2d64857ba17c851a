package io.csi4j.mount.internal.table;

import io.csi4j.mount.DeviceId;
import io.csi4j.mount.KernelText;
import io.csi4j.mount.MountFlag;
import io.csi4j.mount.MountPath;
import io.csi4j.mount.MountRecord;
import io.csi4j.mount.MountRef;
import io.csi4j.mount.PropagationTags;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads single rows of the kernel's table.
 *
 * <pre>
 * 36 35 98:0 /root /mnt/point rw,noatime master:1 - ext3 /dev/root rw,errors=continue
 * id parent device root path  flags      optional…  type source    options
 * </pre>
 *
 * <p>Fields are parted by one blank each, so an empty one is a field too. The optional ones end at
 * the first that is a dash: none of them is one, while options may hold blanks and dashes.
 */
final class RowParser {

  private final String bootId;
  private final RowNames names;
  private final SharedTexts<KernelText> roots = new SharedTexts<>(RowParser::name);
  private final SharedTexts<KernelText> types = new SharedTexts<>(RowParser::name);
  private final SharedTexts<KernelText> sources = new SharedTexts<>(RowParser::name);
  private final SharedTexts<Set<MountFlag>> flags = new SharedTexts<>(RowFields::flags);
  private final SharedTexts<PropagationTags> tags = new SharedTexts<>(RowFields::propagation);
  private final SharedTexts<List<KernelText>> options = new SharedTexts<>(RowFields::options);
  private DeviceId lastDevice = new DeviceId(0, 0);

  /** The row, the field that was last looked at, and where the next one begins. */
  private byte[] bytes = {};

  private int start;
  private int end;
  private int next;
  private int to;

  RowParser(String bootId, RowNames names) {
    this.bootId = bootId;
    this.names = names;
  }

  /** The number that the row begins with, or -1 if it begins with something else. */
  static int id(byte[] bytes, int from, int to) {
    return RowFields.number(bytes, from, ByteSearch.indexOf((byte) ' ', bytes, from, to));
  }

  /**
   * The mount of a row, or null if the row makes no sense.
   *
   * @param row the place of the row in the table
   */
  @Nullable MountRecord parse(byte[] bytes, int from, int to, int row) {
    this.bytes = bytes;
    this.next = from;
    this.to = to;
    int id = number();
    int parent = number();
    DeviceId device = device();
    if (id < 0 || parent < 0 || device == null || !field()) {
      return null;
    }
    KernelText root = roots.get(bytes, start, end);
    MountPath path = path();
    if (path == null || !field()) {
      return null;
    }
    Set<MountFlag> forbidden = flags.get(bytes, start, end);
    PropagationTags propagation = propagation();
    if (propagation == null || !field()) {
      return null;
    }
    KernelText type = types.get(bytes, start, end);
    if (!field() || next > to) {
      return null;
    }
    return new MountRecord(
        new MountRef(path, bootId, names.identity(row, id, device, root)),
        id,
        parent,
        names.uniqueParent(parent),
        device,
        root,
        forbidden,
        propagation,
        type,
        sources.get(bytes, start, end),
        options.get(bytes, next, to));
  }

  private static KernelText name(byte[] escaped) {
    return KernelText.ofBytes(RowFields.unescape(escaped));
  }

  /** Goes to the next field, if there is one. */
  private boolean field() {
    if (next > to) {
      return false;
    }
    start = next;
    end = ByteSearch.indexOf((byte) ' ', bytes, start, to);
    next = end + 1;
    return true;
  }

  private int number() {
    return field() ? RowFields.number(bytes, start, end) : -1;
  }

  private @Nullable DeviceId device() {
    if (!field()) {
      return null;
    }
    int colon = ByteSearch.indexOf((byte) ':', bytes, start, end);
    int major = RowFields.number(bytes, start, colon);
    int minor = RowFields.number(bytes, colon + 1, end);
    if (major < 0 || minor < 0) {
      return null;
    }
    if (major != lastDevice.major() || minor != lastDevice.minor()) {
      lastDevice = new DeviceId(major, minor);
    }
    return lastDevice;
  }

  private @Nullable MountPath path() {
    if (!field()) {
      return null;
    }
    try {
      return ByteSearch.indexOf((byte) '\\', bytes, start, end) == end
          ? MountPath.ofBytes(bytes, start, end)
          : MountPath.ofBytes(RowFields.unescape(Arrays.copyOfRange(bytes, start, end)));
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  private @Nullable PropagationTags propagation() {
    int from = next;
    while (field()) {
      if (end - start == 1 && bytes[start] == '-') {
        return start == from ? PropagationTags.PRIVATE : tags.get(bytes, from, start - 1);
      }
    }
    return null;
  }
}
