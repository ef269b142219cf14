// The parts of three.js that the page uses.
export {
  ACESFilmicToneMapping, AdditiveBlending, BackSide, BoxGeometry, BufferAttribute, BufferGeometry, CanvasTexture,
  CapsuleGeometry, Color, ConeGeometry, CylinderGeometry, DirectionalLight, DoubleSide, DynamicDrawUsage,
  Euler, Fog, FrontSide, HemisphereLight, InstancedBufferAttribute, InstancedBufferGeometry, InstancedMesh, Matrix4,
  Mesh, MeshBasicMaterial, MeshLambertMaterial, MeshStandardMaterial, NormalBlending, PCFShadowMap,
  PerspectiveCamera, PlaneGeometry, PointLight, Quaternion, Scene, ShaderMaterial, SphereGeometry, SRGBColorSpace,
  TorusGeometry, Vector3, WebGLRenderer,
} from "three";
