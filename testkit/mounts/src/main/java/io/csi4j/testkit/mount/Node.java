package io.csi4j.testkit.mount;

import io.csi4j.mount.model.DeviceId;
import io.csi4j.mount.model.KernelText;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A directory, file, symbolic link or device node of an in-memory filesystem. */
final class Node {

  enum Kind {
    DIRECTORY,
    FILE,
    SYMLINK,
    DEVICE
  }

  private static final byte[] DELETED = "//deleted".getBytes(StandardCharsets.US_ASCII);

  private final Kind kind;
  private final Map<KernelText, Node> children = new LinkedHashMap<>();
  private @Nullable Node parent;
  private KernelText name = KernelText.of("");
  private boolean deleted;

  /** Content of a file, or target of a symbolic link. */
  private String content;

  private final @Nullable DeviceId device;

  /** Mounts on this node, in all namespaces. */
  final List<Mount> mounts = new ArrayList<>();

  private Node(Kind kind, String content, @Nullable DeviceId device) {
    this.kind = kind;
    this.content = content;
    this.device = device;
  }

  static Node directory() {
    return new Node(Kind.DIRECTORY, "", null);
  }

  static Node file(String content) {
    return new Node(Kind.FILE, content, null);
  }

  static Node symlink(String target) {
    return new Node(Kind.SYMLINK, target, null);
  }

  static Node device(DeviceId device) {
    return new Node(Kind.DEVICE, "", device);
  }

  boolean isDirectory() {
    return kind == Kind.DIRECTORY;
  }

  boolean isSymlink() {
    return kind == Kind.SYMLINK;
  }

  boolean isDeleted() {
    return deleted;
  }

  boolean isEmpty() {
    return children.isEmpty() && (kind != Kind.FILE || content.isEmpty());
  }

  /** Returns whether removing the node loses no data: an empty directory, or an empty file. */
  boolean isRemovable() {
    return (kind == Kind.DIRECTORY || kind == Kind.FILE) && isEmpty();
  }

  String content() {
    return content;
  }

  void write(String text) {
    content = text;
  }

  @Nullable DeviceId device() {
    return device;
  }

  @Nullable Node parent() {
    return parent;
  }

  @Nullable Node child(KernelText part) {
    return children.get(part);
  }

  List<KernelText> names() {
    return List.copyOf(children.keySet());
  }

  Node add(KernelText part, Node child) {
    child.parent = this;
    child.name = part;
    children.put(part, child);
    return child;
  }

  /** Removes the node from its directory; mounts and open files keep it. */
  void delete() {
    leave();
    deleted = true;
  }

  void moveTo(Node directory, KernelText part) {
    leave();
    directory.add(part, this);
  }

  private void leave() {
    Node above = parent;
    if (above != null) {
      above.children.remove(name);
    }
  }

  boolean isWithin(Node ancestor) {
    for (Node at = this; at != null; at = at.parent) {
      if (at == ancestor) {
        return true;
      }
    }
    return false;
  }

  /** Writes the path of this node below an ancestor, with a slash before each part. */
  void writePath(Node ancestor, ByteArrayOutputStream out) {
    Deque<KernelText> parts = new ArrayDeque<>();
    for (Node at = this; at != ancestor && at.parent != null; at = at.parent) {
      parts.push(at.name);
    }
    for (KernelText part : parts) {
      out.write('/');
      out.writeBytes(part.bytes());
    }
  }

  /** Returns the path within the filesystem, as in the kernel's table. */
  KernelText root(Node top) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    writePath(top, out);
    if (out.size() == 0) {
      out.write('/');
    }
    for (Node at = this; at != null; at = at.parent) {
      if (at.deleted) {
        out.writeBytes(DELETED);
        break;
      }
    }
    return KernelText.ofBytes(out.toByteArray());
  }
}
